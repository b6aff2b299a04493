/**
 * What a command that fails says. Plain JavaScript, for wrong use is told before anything else is loaded.
 * @typedef {object} Failure
 * @property {string} code
 * @property {string} summary
 * @property {readonly string[]} problems
 * @property {string} [next]
 */

/** `CODE: what is wrong`, its details, and the next step. @param {Failure} failure */
export function failureText({ code, summary, problems, next }) {
  const details = problems.map((problem) => `\n  - ${problem}`).join('');
  return `${code}: ${summary}${details}${next === undefined ? '' : `\n→ ${next}`}`;
}

/** The same as a JSON line has it. @param {Failure} failure */
export function failureEvent({ code, summary, problems, next }) {
  return { error: code, message: summary, problems, next };
}

/** The longest distance at which a word is still taken for a slip of the pen. */
const farthest = 3;

/**
 * The word that was meant, if one comes near.
 * @param {string} given
 * @param {Iterable<string>} words
 */
export function nearest(given, words) {
  let best = /** @type {string | undefined} */ (undefined);
  let least = Math.min(farthest, Math.floor(given.length / 2)) + 1;
  const wanted = given.toLowerCase();
  for (const word of words) {
    const distance = distanceOf(wanted, word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** The begin of a word, or a part of it, is as good as a small slip. @param {string} wanted @param {string} word */
function distanceOf(wanted, word) {
  const slips = editDistance(wanted, word);
  if (wanted.length < 3 || slips < 1) return slips;
  return word.startsWith(wanted) ? 0.5 : word.includes(wanted) ? Math.min(slips, 1.5) : slips;
}

/** How many letters have to be put in, left out, changed or swapped with the next. @param {string} from @param {string} to */
function editDistance(from, to) {
  let former = /** @type {number[]} */ ([]);
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const change = from[row - 1] === to[at - 1] ? 0 : 1;
      const swapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      line.push(
        Math.min(
          (above[at] ?? 0) + 1,
          (line[at - 1] ?? 0) + 1,
          (above[at - 1] ?? 0) + change,
          swapped ? (former[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [former, above] = [above, line];
  }
  return above[to.length] ?? 0;
}

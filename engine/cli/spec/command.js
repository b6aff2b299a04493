/** A command's spec, with its literals kept for the types of its action. @type {import('./command-spec.ts').DefineCommand} */
export const command = (spec) => spec;

/**
 * An option that several commands share.
 * @template {import('./command-spec.ts').OptionSpec} const O
 * @param {O} spec
 */
export const option = (spec) => spec;

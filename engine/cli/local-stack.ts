/** The stack on this machine. Apart from what reads stack files: `init` runs before the packages for that are there. */
export const localStack = 'local';

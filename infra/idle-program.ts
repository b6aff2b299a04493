import * as pulumi from '@pulumi/pulumi';

let isUsed = false;

/** Whatever this package registers says so. */
export function registersSomething(): void {
  isUsed = true;
}

/**
 * In a package that is not of type module Pulumi does not call a function that a program exports: the program would register nothing, end
 * well, and Pulumi would delete what the stack has. A program that loads this package and makes nothing of it ends with an error instead;
 * then nothing is deleted.
 */
process.once('beforeExit', () => {
  // Without an engine nothing is deployed: a test under mocks, or somebody who looks at what the package exports.
  if (isUsed || !pulumi.runtime.hasEngine()) return;
  const failure = new pulumi.RunError(
    [
      'NOTHING_DEPLOYED: the program imports tablewright/pulumi and registers nothing of it',
      '  - the exported value: expected deployTables(project) itself, found none that was called',
      'Next: Write \'export default deployTables(project)\', without a function around it: Pulumi calls none in a package without "type": "module".',
    ].join('\n'),
  );
  // So late Pulumi shows the trace of any error, and this one's leads nowhere.
  failure.stack = failure.message;
  throw failure;
});

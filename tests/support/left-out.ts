/** Says why a test is not run here and counts it as skipped: for what a machine may be without, such as Java. The one place for it. */
export function leaveOut(test: Mocha.Context, reason: string): never {
  process.stdout.write(`  (not run: ${reason.replace(/\s+/g, ' ')})\n`);
  return test.skip();
}

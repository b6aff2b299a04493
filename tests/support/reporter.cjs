// Mocha's dot reporter with a closing line that says how many passed, failed and were skipped, for people and for CI alike.
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Dot {
  /**
   * @param {import('mocha').Runner} runner
   * @param {import('mocha').MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {};
      process.stdout.write(`${passes} passed, ${failures} failed${pending === 0 ? '' : `, ${pending} skipped`}\n`);
    });
  }
};

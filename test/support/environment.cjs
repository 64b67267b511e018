const { AsyncLocalStorage } = require("node:async_hooks");
const { TestEnvironment } = require("jest-environment-node");

/**
 * Workaround for Jest 30: it runs the tests of each file in an `AsyncLocalStorage` of the file's own, and never disables
 * it. Each promise of the later files in the same process is then passed on to all of them, which doubles the time.
 */
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...call) {
  used.add(this);
  return run.apply(this, call);
};

module.exports = class extends TestEnvironment {
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
};

import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** What the test file does after a failed test, while everything that the test used is still open. */
export const afterFailure = Symbol.for('after a failed test');

/** The worker's own realm, for `shared-modules.js`. */
export default class SharedEnvironment {
  global = {};
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {}

  /** jest-circus waits for it at each event. */
  async handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure') return;
    const names = [];
    for (let part = test; part.parent; part = part.parent) names.unshift(part.name);
    await globalThis[afterFailure]?.(names.join(' '));
  }

  /** jest-runner requires it. Nothing runs in another context. */
  getVmContext() {
    return null;
  }
}

import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

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

  /** jest-runner requires it. Nothing runs in another context. */
  getVmContext() {
    return null;
  }
}

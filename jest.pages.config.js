/** The staff's pages in a real Chromium; without one these tests are skipped, loudly. */
export default {
  rootDir: 'dist',
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/test/chromium/*.e2e-spec.js'],
  globalSetup: '<rootDir>/test/support/pages-setup.js',
  globalTeardown: '<rootDir>/test/support/pages-teardown.js',
  testTimeout: 60_000,
  maxWorkers: 2,
};

/**
 * Tests run on the compiled output: what is tested is what is shipped. Those of pure files stand
 * beside them; those of the service run it on SQLite and on a PostgreSQL that is started for them.
 * Longer ones have files of their own: jest.pages.config.js looks at the pages in Chromium,
 * jest.faults.config.js at what happens while something breaks, jest.heavy.config.js at operation.
 */
const shared = {
  rootDir: 'dist',
  testEnvironment: 'node',
  transform: {},
  setupFiles: ['<rootDir>/test/support/seed.js'],
};

export default {
  projects: [
    { ...shared, displayName: 'pure', testMatch: ['<rootDir>/**/*.spec.js'] },
    {
      ...shared,
      displayName: 'service',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.js'],
      testPathIgnorePatterns: ['<rootDir>/test/(?:chromium|faults)/'],
      globalSetup: '<rootDir>/test/support/global-setup.js',
      globalTeardown: '<rootDir>/test/support/global-teardown.js',
    },
  ],
  testTimeout: 60_000,
  maxWorkers: 2,
};

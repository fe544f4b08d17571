/**
 * Tests run on the compiled output: what is tested is what is shipped. Those of pure files stand
 * beside them; those of the service run it on SQLite and on a PostgreSQL that is started for them;
 * those of the pages look at it in Chromium. What breaks is in jest.faults.config.js.
 */
const shared = { rootDir: 'dist', testEnvironment: 'node', transform: {} };

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
    {
      ...shared,
      displayName: 'pages',
      testMatch: ['<rootDir>/test/chromium/*.e2e-spec.js'],
      globalSetup: '<rootDir>/test/support/pages-setup.js',
      globalTeardown: '<rootDir>/test/support/pages-teardown.js',
    },
  ],
  testTimeout: 60_000,
  maxWorkers: 2,
};

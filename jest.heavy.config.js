/** The long rounds of operation: `npm run test:operations`, with a pattern to choose one of them. */
export default {
  rootDir: 'dist',
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/test/heavy/*.heavy.js'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  testTimeout: 1_200_000,
  maxWorkers: 1,
};

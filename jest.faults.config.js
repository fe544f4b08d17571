/** The service while something breaks: short rounds by default, whole ones with `FAULTS=heavy`. */
const isHeavy = process.env.FAULTS === 'heavy';

export default {
  rootDir: 'dist',
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/test/faults/*.e2e-spec.js'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  testTimeout: isHeavy ? 3_600_000 : 120_000,
  maxWorkers: isHeavy ? 1 : 2,
};

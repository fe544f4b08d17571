/** Tests run on the compiled output: what is tested is what is shipped. */
export default {
  testEnvironment: 'node',
  rootDir: 'dist',
  testMatch: ['**/*.spec.js', '**/*.e2e-spec.js'],
  transform: {},
  testTimeout: 60_000,
  maxWorkers: 2,
};

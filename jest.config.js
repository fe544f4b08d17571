const heavyFaults = process.env.FAULTS === 'heavy';
const minutes = (count) => count * 60_000;

const seed = '<rootDir>/test/support/seed.js';

/** @param setup the part of `test/support/<setup>-setup.js` and `-teardown.js`, if it needs one */
const project = (displayName, testMatch, setup, more) => ({
  displayName,
  rootDir: 'dist',
  testEnvironment: '<rootDir>/../.config/jest/environment.js',
  testRunner: '<rootDir>/../.config/jest/shared-modules.js',
  transform: {},
  setupFilesAfterEnv: setup ? [seed, '<rootDir>/test/support/answers-setup.js'] : [seed],
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  ...(setup && {
    globalSetup: `<rootDir>/test/support/${setup}-setup.js`,
    globalTeardown: `<rootDir>/test/support/${setup}-teardown.js`,
  }),
  ...more,
});

/**
 * Tests run on the compiled output: what is tested is what is shipped. Tests of pure files are beside
 * them. Tests of the service run on SQLite and on a PostgreSQL that the setup starts.
 */
const projects = {
  pure: project('pure', ['**/*.spec.js']),
  service: project('service', ['test/**/*.e2e-spec.js'], 'global', {
    testPathIgnorePatterns: ['<rootDir>/test/(?:chromium|faults)/'],
  }),
  /** The pages in Chromium; skipped, with a warning, where there is none. */
  pages: project('pages', ['test/chromium/*.e2e-spec.js'], 'pages'),
  /** The service while something breaks: short rounds, or the whole ones with `FAULTS=heavy`. */
  faults: project('faults', ['test/faults/*.e2e-spec.js'], 'global'),
  /** Long rounds of operation. Give a pattern to choose one. */
  operations: project('operations', ['test/operations/*.round.js'], 'global', {
    // They also run Prometheus and earlier versions, whose answers differ from the descriptions.
    setupFilesAfterEnv: [seed],
  }),
};

/** `TESTS` names the projects to run, separated by commas. */
const chosen = (process.env.TESTS ?? 'pure,service').split(',');
/** Of one test. Jest takes it for all projects together. */
const timeouts = {
  pages: minutes(2),
  faults: minutes(heavyFaults ? 60 : 2),
  operations: minutes(20),
};

export default {
  projects: chosen.map((name) => projects[name]),
  testTimeout: Math.max(...chosen.map((name) => timeouts[name] ?? minutes(1))),
  // The tests of faults wait a quarter of their time.
  maxWorkers: heavyFaults || chosen.includes('operations') ? 1 : chosen.includes('faults') ? 3 : 2,
};

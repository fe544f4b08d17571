import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import SharedEnvironment, { afterFailure } from './environment.js';

/**
 * Jest's `testRunner`. Runs a test file in the worker's own realm with Node's own loader, so that a worker
 * loads the service and its packages once. Jest would load them for each test file: over a third of the
 * processor time of all tests. Only `test` and the specs are loaded again for each file, because they
 * register tests and hooks; but not `test/support/once`.
 *
 * A test file that changes what a module of `src` exports starts with `@jest-environment node`. Jest then
 * loads all its modules only for this file.
 */
export default async function runTestFile(globalConfig, config, environment, runtime, path, send) {
  const run = (loader) => circus.default(globalConfig, config, environment, loader, path, send);
  if (!(environment instanceof SharedEnvironment)) return run(runtime);
  startTestFile();
  const { console } = globalThis;
  globalThis.console = environment.global.console;
  try {
    return await run({
      requireInternalModule: require,
      requireModule: require,
      unstable_shouldLoadAsEsm: () => true,
      unstable_importModule: (module) => import(pathToFileURL(module).href),
      setGlobalsForRuntime(globals) {
        globalThis[globalsOfTestFile] = { ...globals, jest: jestObject(environment) };
      },
      enterTestCode: () => runtime.enterTestCode(),
      leaveTestCode: () => runtime.leaveTestCode(),
    });
  } finally {
    environment.fakeTimersModern.useRealTimers();
    environment.moduleMocker.restoreAllMocks();
    globalThis.console = console;
  }
}

const require = createRequire(import.meta.url);
const circusState = require
  .resolve('jest-circus/runner')
  .replace('runner.js', 'jestAdapterInit.js');
const globalsOfTestFile = Symbol.for('globals of the test file');
const globalsModule = new URL('globals.js', import.meta.url).href;
const loadedAgain = /\/dist\/test\/(?!support\/once\/)|\.spec\.js$/;
let testFiles = 0;

const ofThisTestFile = (url) => `${url}?file=${testFiles}`;

/** jest-circus keeps the tests of a file in its module and under symbols of the global object. */
function startTestFile() {
  testFiles += 1;
  delete globalThis[afterFailure];
  delete require.cache[circusState];
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (/^(?:JEST_STATE_SYMBOL|EVENT_HANDLERS)$/.test(symbol.description))
      delete globalThis[symbol];
  }
}

/** The part of `jest` that tests use. */
function jestObject({ moduleMocker, fakeTimersModern }) {
  const jest = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers(options) {
      fakeTimersModern.useFakeTimers(options);
      return jest;
    },
    useRealTimers: () => fakeTimersModern.useRealTimers(),
    advanceTimersByTimeAsync: (ms) => fakeTimersModern.advanceTimersByTimeAsync(ms),
  };
  return jest;
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') {
      return { url: ofThisTestFile(globalsModule), shortCircuit: true };
    }
    const resolved = next(specifier, context);
    return loadedAgain.test(resolved.url)
      ? { ...resolved, url: ofThisTestFile(resolved.url) }
      : resolved;
  },
});

// Compiles into dist/. By default only what the demo needs, without type checks: `src`, without its tests, and `demo`. `--all`
// compiles everything with type checks, and only what has changed since the last time. The JavaScript is that of `nest build`,
// apart from the order of the values in the plugin's enumerations, which the OpenAPI documents do not depend on.
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { forPlugin, pluginImports } from './plugin-imports.mjs';

/** What the compiler keeps between builds. */
const STATE = resolve('dist/.compiled');

/** Reads a tsconfig.json; these options take precedence. */
function configured(project, options) {
  return ts.getParsedCommandLineOfConfigFile(project, options, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic({ messageText }) {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
}

/** `isolatedModules` saves the types of most expressions, for there are no `const enum`s. */
const unchecked = { noCheck: true, isolatedModules: true };

/** Writes the JavaScript, and ends the process if there are faults. */
function emit(program, faults, transformers) {
  const written = [];
  const write = (path, text, ...more) => {
    ts.sys.writeFile(path, text, ...more);
    if (transformers) written.push([path, pluginImports(text)]);
  };
  program.emit(undefined, write, undefined, false, transformers);
  for (const [path, imports] of faults.length === 0 ? written : []) {
    const missing = imports.find((name) => !existsSync(join(dirname(path), name)));
    if (missing === undefined) continue;
    console.error(
      `${path} imports ${missing}, which the build has not written. Build in a folder with a plainer path.`,
    );
    // The next build would skip the file, whose source has not changed.
    rmSync(STATE, { force: true });
    process.exit(1);
  }
  if (faults.length === 0) return;
  const words = {
    getCanonicalFileName: (path) => path,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => '\n',
  };
  console.error(ts.formatDiagnostics(faults, words));
  process.exit(1);
}

const nest = JSON.parse(readFileSync('nest-cli.json', 'utf8'));
const require = createRequire(import.meta.url);

function pluginsFor(program) {
  const { plugins } = nest.compilerOptions;
  return {
    before: plugins.map(({ name, options }) =>
      require(`${name}/plugin`).before(options, forPlugin(program)),
    ),
  };
}

function compileForDemo() {
  const { fileNames, options } = configured('tsconfig.json', unchecked);
  const needed = ['src', 'demo'].map((folder) => `${ts.sys.getCurrentDirectory()}/${folder}/`);
  const program = ts.createProgram({
    rootNames: fileNames
      .filter((path) => needed.some((folder) => path.startsWith(folder)))
      .filter((path) => !path.endsWith('.spec.ts')),
    options,
  });
  emit(program, program.getSyntacticDiagnostics(), pluginsFor(program));
}

/** A file is compiled again if it, or a type that it depends on, has changed. */
function compileAll() {
  const state = { incremental: true, tsBuildInfoFile: STATE };
  const { fileNames, options } = configured('tsconfig.json', state);
  const builder = ts.createIncrementalProgram({ rootNames: fileNames, options });
  const faults = [
    ...builder.getConfigFileParsingDiagnostics(),
    ...builder.getOptionsDiagnostics(),
    ...builder.getSyntacticDiagnostics(),
    ...builder.getGlobalDiagnostics(),
    ...builder.getSemanticDiagnostics(),
  ];
  emit(builder, faults, pluginsFor(builder.getProgram()));
}

/** @param faultsOf the faults of a program that are reported */
function compileBrowserScripts(more, faultsOf) {
  for (const folder of ['platform/ui', 'documentation']) {
    const { fileNames, options } = configured(`src/${folder}/browser/tsconfig.json`, more);
    const program = ts.createProgram({ rootNames: fileNames, options });
    emit(program, faultsOf(program));
  }
}

function copyAssets() {
  for (const { include, outDir } of nest.compilerOptions.assets) {
    for (const path of globSync(join(nest.sourceRoot, include))) cpSync(path, join(outDir, path));
  }
}

if (process.argv.includes('--all')) {
  compileBrowserScripts({}, ts.getPreEmitDiagnostics);
  compileAll();
} else {
  compileBrowserScripts({ ...unchecked, noLib: true }, (program) =>
    program.getSyntacticDiagnostics(),
  );
  compileForDemo();
}
copyAssets();

// Compiles what the demo needs into dist/ without type checks: `src`, without its tests, and `demo`. The JavaScript is that of
// `nest build`, apart from the order of the values in the plugin's enumerations, which the OpenAPI documents do not depend on.
import { cpSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

/** From a tsconfig.json. `isolatedModules` saves the types of most expressions, for there are no `const enum`s. */
function configured(project) {
  const parsed = ts.getParsedCommandLineOfConfigFile(
    project,
    { noCheck: true, isolatedModules: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic({ messageText }) {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
      },
    },
  );
  return { ...parsed, fileNames: parsed.fileNames.filter((path) => !path.endsWith('.spec.ts')) };
}

/** Reports what cannot be read as TypeScript, as the compiler would. */
function emit(program, transformers) {
  const faults = program.getSyntacticDiagnostics();
  if (faults.length > 0) {
    const words = {
      getCanonicalFileName: (path) => path,
      getCurrentDirectory: ts.sys.getCurrentDirectory,
      getNewLine: () => '\n',
    };
    console.error(ts.formatDiagnostics(faults, words));
    process.exit(1);
  }
  program.emit(undefined, undefined, undefined, false, transformers);
}

const nest = JSON.parse(readFileSync('nest-cli.json', 'utf8'));

function compileService() {
  const { fileNames, options } = configured('tsconfig.json');
  const needed = ['src', 'demo'].map((folder) => `${ts.sys.getCurrentDirectory()}/${folder}/`);
  const program = ts.createProgram({
    rootNames: fileNames.filter((path) => needed.some((folder) => path.startsWith(folder))),
    options,
  });
  const require = createRequire(import.meta.url);
  const before = nest.compilerOptions.plugins.map(({ name, options: own }) =>
    require(`${name}/plugin`).before(own, program),
  );
  emit(program, { before });
}

function compileBrowserScripts() {
  for (const folder of ['platform/ui', 'documentation']) {
    const { fileNames, options } = configured(`src/${folder}/browser/tsconfig.json`);
    emit(ts.createProgram({ rootNames: fileNames, options: { ...options, noLib: true } }));
  }
}

function copyAssets() {
  for (const { include, outDir } of nest.compilerOptions.assets) {
    for (const path of globSync(join(nest.sourceRoot, include))) cpSync(path, join(outDir, path));
  }
}

compileBrowserScripts();
compileService();
copyAssets();

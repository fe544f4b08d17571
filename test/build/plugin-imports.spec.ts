import { expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { newFolder } from '../support/closing.js';

interface PluginImports {
  readonly plainImports: (text: string) => string;
  readonly forPlugin: (program: ts.Program) => ts.Program;
  readonly pluginImports: (text: string) => string[];
}

const script = new URL('../../../scripts/plugin-imports.mjs', import.meta.url);
const { plainImports, forPlugin, pluginImports } = (await import(script.href)) as PluginImports;

interface Plugin {
  readonly before: (options: object, program: ts.Program) => ts.TransformerFactory<ts.SourceFile>;
}

/** Compiles a controller and the type of its answer in a folder of this name, as the build does. */
async function compiledIn(folder: string): Promise<string> {
  const root = await newFolder(folder);
  const files = {
    'one.dto.ts': 'export class One {}',
    'one.controller.ts':
      "import { one } from './maker.js'; export class Ones { @Get() one() { return one(); } }",
    'maker.ts': "import { One } from './one.dto.js'; export const one = () => new One();",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const program = ts.createProgram({
    rootNames: Object.keys(files).map((name) => join(root, name)),
    options: {
      noLib: true,
      types: [],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      experimentalDecorators: true,
    },
  });
  const plugin = createRequire(import.meta.url)('@nestjs/swagger/plugin') as Plugin;
  let controller = '';
  program.emit(
    undefined,
    (path, text) => (controller = path.endsWith('controller.js') ? text : controller),
    undefined,
    false,
    {
      before: [plugin.before({ controllerFileNameSuffix: ['.controller.ts'] }, forPlugin(program))],
    },
  );
  return controller;
}

it.each(['plain', 'josé', '日本', '100%', '100%41', 'with blank #1'])(
  'imports the types of answers where the path is %s',
  async (folder) => {
    const controller = await compiledIn(folder);
    expect(controller).toContain('One');
    expect(pluginImports(controller)).toEqual(['./one.dto.js']);
  },
);

it.each([
  [String.raw`Promise<import("/home/jos\u00E9/x").One>`, 'Promise<import("/home/josé/x").One>'],
  ['import("/a%41/b").One[]', 'import("/a%41/b").One[]'],
  ['string', 'string'],
])('prints %s for the plugin', (printed, plain) => {
  expect(plainImports(printed)).toBe(plain);
});

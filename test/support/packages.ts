import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

const { version } = JSON.parse(readFileSync('packages/typescript/package.json', 'utf8')) as {
  version: string;
};

export const packageFiles = [
  `product-availability-${version}.tgz`,
  `product_availability-${version}-py3-none-any.whl`,
  `product_availability-${version}.tar.gz`,
] as const;
const tarball = resolve('dist/packages', packageFiles[0]);
/** Python imports from it. */
export const wheel = resolve('dist/packages', packageFiles[1]);

/** Packs what has changed. @param folder another one than that of the service */
export async function pack(...folder: string[]): Promise<void> {
  await exec(process.execPath, ['scripts/packages.mjs', ...folder]);
}

/** Unpacks the package for TypeScript into the `node_modules` of a folder, as npm does. @returns its module */
export async function installTarball(folder: string): Promise<string> {
  const to = join(folder, 'node_modules/product-availability');
  mkdirSync(to, { recursive: true });
  await exec('tar', ['xzf', tarball, '--strip-components=1', '-C', to]);
  return join(to, 'client.js');
}

/** What the compiler says about the files, in a separate process. */
export async function typeFaults(
  folder: string,
  files: readonly string[],
  options: object,
): Promise<string> {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    target: 'es2022',
    module: 'nodenext',
    skipLibCheck: true,
    rootDir: '.',
    typeRoots: [resolve('node_modules/@types')],
    ...options,
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = resolve('node_modules/typescript/bin/tsc');
  return exec(process.execPath, [tsc, '-p', '.'], { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { nodeFault } from './node-version.js';

it.each(['24.15.0', '24.16.1', '25.0.0', '26.10.0'])('Node.js %s is accepted', (version) => {
  expect(nodeFault(version)).toBeUndefined();
});

it.each(['18.20.0', '20.20.2', '22.21.0', '24.14.9'])('Node.js %s is refused', (version) => {
  expect(nodeFault(version)).toMatch(/^Node\.js 24\.15 or later is required/);
});

it('accepts the minimum version of package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    engines: { node: string };
  };
  const least = engines.node.replace('>=', '');
  expect(nodeFault(`${least}.0`)).toBeUndefined();
  expect(nodeFault('0.0.0')).toContain(`Node.js ${least} `);
});

/** Static imports run before the first statement of a file. */
it.each(['src/main', 'src/cli/main', 'demo/main'])(
  '%s imports nothing before it checks the version',
  (entry) => {
    const imports = readFileSync(`${entry}.ts`, 'utf8').match(/^import .*$/gm);
    expect(imports).toEqual([expect.stringContaining('node-version.js')]);
    expect(readFileSync('src/node-version.ts', 'utf8')).not.toMatch(/^import (?!.* 'node:)/m);
  },
);

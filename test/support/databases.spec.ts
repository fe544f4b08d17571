import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { engineFor, engines } from './databases.js';

const suites = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.e2e-spec.ts'))
  .map((path) => ({ path, code: readFileSync(join('test', path), 'utf8') }));
const onOne = suites.filter(({ code }) => code.includes('onOneEngine('));

it.each(['', '7', '4711'])('meets both engines in a run with the seed "%s"', (seed) => {
  const chosen = onOne.map(({ path }) => engineFor(basename(path, '.ts') + '.js', seed));
  for (const engine of engines) {
    const share = chosen.filter((other) => other === engine).length / chosen.length;
    expect(share).toBeGreaterThan(0.15);
  }
});

it('chooses another engine for some files with another seed', () => {
  const by = (seed: string) => onOne.map(({ path }) => engineFor(path, seed));
  expect(by('1')).not.toEqual(by('2'));
});

it('lets no suite that names one engine read it', () => {
  const readers = onOne.filter(({ code }) =>
    /\bengine\s*[!=]==|[!=]==\s*engine\b|\[engine\]|\(engine\)\s*\{/.test(withoutSuites(code)),
  );
  expect(readers.map(({ path }) => path)).toEqual([]);
});

/** A file may have suites on both engines beside those on one. */
function withoutSuites(code: string): string {
  return code.replaceAll(/^onBothEngines\([^]*?^\}\);$/gm, '').replaceAll('(engine) =>', '');
}

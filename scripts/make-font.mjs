// Makes src/platform/ui/assets/inter.woff2 again: Inter with Latin letters, and weights from 400 to 700 on one
// axis. Needs the npm registry: the two packages are no dependencies, because the file is committed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PACKAGES = ['@fontsource-variable/inter@5.3.0', 'subset-font@2.9.0'];
/** Features of OpenType: kerning, and figures of equal width for columns of numbers. */
const FEATURES = ['kern', 'tnum'];
const TO = 'src/platform/ui/assets';

const range = (from, to) =>
  Array.from({ length: to - from + 1 }, (_none, i) => String.fromCodePoint(from + i)).join('');
/** ASCII, Latin-1, and the signs that the pages use. */
const CHARACTERS = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}–—‘’“”…•€−↑↓™`;

const folder = mkdtempSync(join(tmpdir(), 'font-'));
try {
  const install = ['install', '--no-save', '--ignore-scripts', '--prefix', folder, ...PACKAGES];
  execFileSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] });
  const { resolve } = createRequire(join(folder, 'made-here.js'));
  const { default: subsetFont } = await import(pathToFileURL(resolve('subset-font')));
  const inter = join(folder, 'node_modules/@fontsource-variable/inter');
  const whole = readFileSync(join(inter, 'files/inter-latin-wght-normal.woff2'));
  const subset = await subsetFont(whole, CHARACTERS, {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700, default: 400 } },
    keepFeatures: FEATURES,
  });
  writeFileSync(join(TO, 'inter.woff2'), subset);
  writeFileSync(join(TO, 'inter-LICENSE.txt'), readFileSync(join(inter, 'LICENSE')));
  process.stdout.write(`${join(TO, 'inter.woff2')}  ${subset.length} bytes\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

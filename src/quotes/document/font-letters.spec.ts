import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { FONT_RANGES, fontText, lacksLetters } from './font-letters.js';

it.each([
  ['Łódź Київ Ωμέγα Tŷ Ċeann £€', 'Łódź Київ Ωμέγα Tŷ Ċeann £€'],
  ['a\u0301', 'á'],
  ['Ḃaile Áṫa', 'Baile Áta'],
  ['東京 HQ', '\ufffd\ufffd HQ'],
  ['a😀b', 'a\ufffdb'],
  ['👩‍👩‍👧 and 🇬🇧', '\ufffd and \ufffd'],
  ['עברית', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
])('writes %j as %j', (text, shown) => {
  expect([fontText(text), lacksLetters(text)]).toEqual([shown, shown !== text.normalize()]);
});

it('lists the characters of the font', () => {
  const require = createRequire(import.meta.url);
  const inPdfmake = createRequire(require.resolve('pdfmake/package.json'));
  const inPdfkit = createRequire(inPdfmake.resolve('pdfkit'));
  const fontkit = inPdfkit('fontkit') as {
    openSync: (path: string) => { characterSet: readonly number[] };
  };
  const fonts = join(inPdfmake.resolve('pdfmake/package.json'), '../fonts/Roboto');
  const [regular, bold] = ['Roboto-Regular.ttf', 'Roboto-Medium.ttf'].map(
    (name) => new Set(fontkit.openSync(join(fonts, name)).characterSet),
  );
  const known = [...regular!]
    .filter((code) => bold!.has(code) && code >= 0x20)
    // Private use, and marks of encodings.
    .filter((code) => code < 0xe000 || (code >= 0xf900 && code !== 0xfeff && code < 0xfffe));
  const listed = FONT_RANGES.split(' ').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map((code) => parseInt(code, 16));
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  expect(listed).toEqual(known.sort((a, b) => a - b));
});

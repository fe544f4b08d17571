import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gunzipSync } from 'node:zlib';
import { AnswerText, KeptText } from './kept-text.js';

/** As programs read the body. */
const unzipped = ({ gzip }: AnswerText) => gunzipSync(Buffer.from(gzip, 'latin1')).toString();

it('gives the same text compressed, and counts its bytes', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 300 });
  const kept = text.map((one) => new KeptText(one.repeat(20)));
  const answers = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(kept, answers, (middle, around) => {
      for (const [before, after] of around) {
        const answer = new AnswerText(before, middle, after);
        expect(unzipped(answer)).toBe(answer.text);
        expect(answer.bytes).toBe(Buffer.byteLength(answer.text));
      }
    }),
  );
});

it('gives texts around the kept one that are longer than one stored block', () => {
  const long = 'Zoë '.repeat(40_000);
  for (const [before, after] of [
    [long, ''],
    ['', long],
    [long, long],
  ] as const) {
    const answer = new AnswerText(before, new KeptText('[1,2,3]'), after);
    expect(unzipped(answer)).toBe(answer.text);
  }
});

it('compresses the kept text once', () => {
  const kept = new KeptText(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ i }))));
  const first = new AnswerText('a', kept, 'b');
  expect(first.gzip.length).toBeLessThan(kept.bytes / 3);
  expect(kept.deflated).toBe(kept.deflated);
});

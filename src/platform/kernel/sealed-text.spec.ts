import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { open, seal, SealingKeys } from './sealed-text.js';

describe('a sealed text', () => {
  const key = randomBytes(32);

  it('opens with its key and context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        const sealed = seal(text, key, context);
        expect(open(sealed, key, context)).toBe(text);
      }),
    );
  });

  it('differs each time, and does not show the text', () => {
    expect(seal('secret', key, 'a')).not.toBe(seal('secret', key, 'a'));
    expect(seal('secret', key, 'a')).not.toContain(Buffer.from('secret').toString('base64'));
  });

  it.each([
    ['another key', (sealed: string) => open(sealed, randomBytes(32), 'a')],
    ['another context', (sealed: string) => open(sealed, key, 'b')],
    ['a cut end', (sealed: string) => open(sealed.slice(0, -8), key, 'a')],
    ['nothing but its head', (sealed: string) => open(sealed.slice(0, 22), key, 'a')],
  ])('does not open with %s', (_what, attempt) => {
    expect(() => attempt(seal('secret', key, 'a'))).toThrow();
  });
});

describe('two keys', () => {
  const [older, newer, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const keys = SealingKeys.of(newer, older)!;

  it('open what either has sealed, and seal with the first', () => {
    expect(keys.open(seal('old', older, 'a'), 'a')).toBe('old');
    expect(open(keys.seal('new', 'a'), newer, 'a')).toBe('new');
    expect(() => keys.open(seal('secret', foreign, 'a'), 'a')).toThrow('No key opens');
  });

  it('say that a later release sealed a text, and not that its key is missing', () => {
    const sealed = seal('secret', newer, 'a').replace('v1', 'v2');
    const words = 'The sealed text has the form v2, which this program cannot read.';
    expect(() => keys.open(sealed, 'a')).toThrow(words);
    expect(() => keys.resealAll([{ context: 'a', sealed }])).toThrow(words);
  });

  it('seal again what the second has sealed', () => {
    const earlier = seal('old', older, 'a');
    const { changed, current, unreadable } = keys.resealAll([
      { context: 'a', sealed: earlier },
      { context: 'b', sealed: seal('', newer, 'b') },
      { context: 'c', sealed: seal('lost', foreign, 'c') },
    ]);
    expect(changed).toEqual([{ context: 'a', earlier, sealed: expect.any(String) }]);
    expect(open(changed[0]!.sealed, newer, 'a')).toBe('old');
    expect([current, unreadable]).toEqual([1, ['c']]);
  });
});

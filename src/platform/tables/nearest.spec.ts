import { expect, it } from '@jest/globals';
import { nearest } from './nearest.js';

it.each([
  ['UK', ['uk'], 'uk'],
  ['LONDEN', ['PARIS', 'LONDON'], 'LONDON'],
  // Two neighbours that are swapped are one change.
  ['KU', ['UK'], 'UK'],
  ['LODNON', ['LONDON'], 'LONDON'],
  // The first and the last character count, too.
  ['LEEDXY', ['LEEDS'], 'LEEDS'],
  ['LEEDXYZ', ['LEEDS'], undefined],
  ['XELEEDS', ['LEEDS'], 'LEEDS'],
  ['AB', ['CD'], undefined],
  ['ABCD', ['ABXY'], undefined],
  ['ABCDE', ['ABCXY'], 'ABCXY'],
  ['ABCDE', ['ABXYZ'], undefined],
  // The nearest, and of several the first.
  ['ABCDE', ['ABCXY', 'ABCDX', 'ABCDY'], 'ABCDX'],
])('%s is most like, of %j, %s', (text, candidates, expected) => {
  expect(nearest(text, candidates)).toBe(expected);
});

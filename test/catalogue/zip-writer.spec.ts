import { expect, it } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import { zipStream } from '../../src/catalogue/downloads.service.js';

const LONG = 'N1 1AA,ZONE\n'.repeat(10_000);

it('fails where a chunk of a file cannot be made, also after others were read', async () => {
  function* chunks() {
    for (let i = 0; i < 20; i += 1) yield LONG;
    throw new Error('no more');
  }
  await expect(buffer(zipStream([{ name: 'coverage.csv', chunks: chunks() }]))).rejects.toThrow(
    'no more',
  );
});

it('makes no more chunks than are read', async () => {
  let made = 0;
  function* chunks() {
    for (made = 0; made < 10_000; made += 1) yield `${made},${Math.sqrt(made)}\n`.repeat(5_000);
  }
  const zip = zipStream([{ name: 'coverage.csv', chunks: chunks() }]);
  for await (const part of zip) {
    expect(part).toBeInstanceOf(Buffer);
    break;
  }
  expect(made).toBeLessThan(1_000);
});

import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { unpackPostcode } from '../../platform/kernel/postcode.js';
import {
  decodeRegister,
  encodeRegister,
  PostcodeRegisterReader,
  RegisterDamaged,
  type RegisterRows,
  terminationOf,
} from './postcode-register.js';

function read(text: string) {
  const reader = new PostcodeRegisterReader('register.csv');
  for (let at = 0; at < text.length; at += 7) reader.push(text.slice(at, at + 7));
  return reader.end();
}

const names = (keys: Uint32Array) => Array.from(keys, (key) => unpackPostcode(key).unit);

it.each([
  ['pcd,pcd2,pcds,dointr,doterm', '"N1 9GU","N1   9GU","N1 9GU","198001",""', 'ONSPD'],
  ['PCD7,PCD8,PCDS,DOTERM', 'N1 9GU,N1  9GU,N1 9GU,', 'ONSPD'],
  ['x,Postcode', '1,N19GU', 'Code-Point Open'],
  ['PC,PQ,EA', '"N1 9GU",10,1', 'Code-Point Open'],
])('takes the header %s', (header, line, kind) => {
  const result = read(`\ufeff${header}\r\n${line}\r\n`);
  expect([result.kind, result.faults.total]).toEqual([kind, 0]);
  expect(result.rows && names(result.rows.live)).toEqual(['N1 9GU']);
});

it('keeps the month of termination', () => {
  const result = read('pcds,doterm\nN1 9GU,201906\nE1 6AN,\nN1 9GX,199612\n');
  const { rows } = result;
  if (!rows) throw new Error('The header was refused.');
  expect([names(rows.live), names(rows.terminated)]).toEqual([['E1 6AN'], ['N1 9GU', 'N1 9GX']]);
  const [first, second] = rows.terminated;
  expect([first, second, rows.live[0]].map((key) => terminationOf(rows, key!))).toEqual([
    '2019-06',
    '1996-12',
    null,
  ]);
});

it.each([
  ['pcds,doterm\nGX11 1AA,\n', 'postcode'],
  ['pcds,doterm\nN1 9GU,201913\n', 'doterm'],
  ['pcds,doterm\nN1 9GU,June\n', 'doterm'],
])('leaves out what it cannot read: %j', (text, column) => {
  const { faults } = read(text);
  expect(faults.shown.map((fault) => [fault.line, fault.column])).toEqual([[2, column]]);
});

it.each(['', 'a,b\nN1 9GU,1\n'])('refuses a file without a postcode column: %j', (text) => {
  const { kind, faults } = read(text);
  expect([kind, faults.total]).toEqual([null, 1]);
});

describe('the stored form', () => {
  const keys = fc
    .uniqueArray(fc.integer({ min: 0, max: 2 ** 30 - 1 }))
    .map((list) => Uint32Array.from(list).sort());
  const registers = fc
    .record({ live: keys, terminated: keys })
    .map(({ live, terminated }): RegisterRows => ({
      live,
      terminated,
      endMonths: Uint16Array.from(terminated, (key) => key % 1_500),
    }));

  it('decodes to the same register', () => {
    fc.assert(
      fc.property(registers, (rows) => {
        expect(decodeRegister(encodeRegister(rows))).toEqual(rows);
      }),
    );
  });

  test('that is damaged is refused', () => {
    const stored = encodeRegister({
      live: Uint32Array.of(1, 2),
      terminated: Uint32Array.of(3),
      endMonths: Uint16Array.of(4),
    });
    for (const at of [0, 31, 32, stored.length - 1]) {
      const damaged = Buffer.from(stored);
      damaged[at]! ^= 1;
      expect(() => decodeRegister(damaged)).toThrow(RegisterDamaged);
    }
  });
});

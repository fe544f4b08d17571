import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { unpackPostcode } from '../../platform/kernel/postcode.js';
import { decodePositions, encodePositions } from '../../near-net/positions.js';
import {
  decodeRegister,
  encodeRegister,
  PostcodeRegisterReader,
  RegisterDamaged,
  type RegisterRows,
  terminationOf,
} from './postcode-register.js';

function read(text: string) {
  const reader = new PostcodeRegisterReader();
  reader.startFile('register.csv');
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

it.each([
  [
    'postcode,easting,Postcode\nN1 9GU,1,E1 6AN\n',
    'Columns 1 and 3 have the same name: postcode and Postcode.',
  ],
  [
    'pcds,doterm,x,DOTERM\nN1 9GU,201906,,\n',
    'Columns 2 and 4 have the same name: doterm and DOTERM.',
  ],
])('refuses two columns of one name that it reads: %j', (text, reason) => {
  const { kind, faults } = read(text);
  expect([kind, faults]).toMatchObject([null, { total: 1, shown: [{ line: 1, reason }] }]);
});

it.each([
  ['In Use?,Terminated', 'Yes,', ['N1 9GU'], []],
  ['In Use?,Terminated', 'No,1996-06-01', [], ['1996-06']],
  ['in_use,Terminated', 'n,01/06/1996', [], ['1996-06']],
  ['Date of Termination', '1996-06', [], ['1996-06']],
  ['In Use?', 'No', [], [null]],
])('reads the columns %s with %s', (header, cells, live, ends) => {
  const { rows, faults } = read(`Postcode,${header}\nN1 9GU,${cells}\n`);
  if (!rows) throw new Error('The header was refused.');
  const terminated = Array.from(rows.terminated, (key) => terminationOf(rows, key));
  expect([names(rows.live), terminated, faults.total]).toEqual([live, ends, 0]);
});

it.each([
  ['In Use?', 'perhaps', '"In use" is neither Yes nor No.'],
  ['In Use?', '', '"In use" is neither Yes nor No.'],
  ['In Use?,Terminated', 'Yes,199606', 'The postcode is in use, and has a date of termination.'],
  ['Terminated', '01/13/1996', 'The month of termination is not YYYYMM.'],
])('skips a line whose columns %s are %j', (header, cells, reason) => {
  const { rows, faults } = read(`Postcode,${header}\nN1 9GU,${cells}\n`);
  expect([rows?.live.length, rows?.terminated.length]).toEqual([0, 0]);
  expect(faults.shown.map((fault) => [fault.line, fault.reason])).toEqual([[2, reason]]);
});

it.each([
  ['Status', 'Status'],
  ['Live', 'Live'],
  ['is_active', 'is_active'],
  ['End date', 'End date'],
  ['doterm,Terminated', 'Terminated'],
  ['Termination reason', 'Termination reason'],
])('refuses the columns %s, which may say that a postcode was terminated', (header, name) => {
  const { kind, faults } = read(`Postcode,${header}\nN1 9GU,,\n`);
  expect([kind, faults.shown[0]?.reason]).toEqual([
    null,
    `The column ${name} may say which postcodes were terminated, and is not read.`,
  ]);
});

it('takes two columns of one name that it does not read', () => {
  expect(read('pcds,x,x\nN1 9GU,1,2\n').faults.total).toBe(0);
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
    for (const at of [1, 32, 33, stored.length - 1]) {
      const damaged = Buffer.from(stored);
      damaged[at]! ^= 1;
      expect(() => decodeRegister(damaged)).toThrow(RegisterDamaged);
    }
  });
});

describe('the position of a postcode', () => {
  const positionsOf = (text: string) => {
    const { positions, faults } = read(text);
    const rows = Array.from(positions?.keys ?? [], (key, row) => {
      const { easting, northing } = positions!.at(row);
      return `${unpackPostcode(key).unit} ${easting},${northing}`;
    });
    return {
      rows: positions && rows,
      reasons: faults.shown.map(({ line, value }) => `${line}: ${value}`),
    };
  };

  it.each([
    ['pcds,doterm,east1m,north1m', 'N1 9GU,,530478,183123'],
    ['pcd,pcds,doterm,oseast1m,osnrth1m', 'N1 9GU,N1 9GU,,530478,0183123'],
    [
      'Postcode,Positional_quality_indicator,Eastings,Northings,Country_code',
      '"N1 9GU",10,530478,183123,E92000001',
    ],
    ['PC,PQ,EA,NO,CY', '"N1 9GU",10,530478,183123,E92000001'],
    ['postcode,easting,northing', 'n19gu,530478,183123'],
  ])('is read by the header %s', (header, line) => {
    expect(positionsOf(`${header}\r\n${line}\r\n`)).toEqual({
      rows: ['N1 9GU 530478,183123'],
      reasons: [],
    });
  });

  it('is null for a file without these columns', () => {
    expect(positionsOf('pcds,doterm\nN1 9GU,\n').rows).toBeNull();
  });

  it('is missing where the publisher knows none, off the grid, and in areas with another grid', () => {
    const lines = [
      'E1 6AN,0,0',
      'E1 6AH,,',
      'BT1 1AA,333400,374300',
      'JE2 3AB,1,1',
      'GY1 1AA,,',
      'IM1 1AA,238000,475000',
    ];
    const bad = ['N1 9GX,-5,183123', 'N1 9GY,700000,183123', 'N1 9GZ,530478.5,183123'];
    const text = ['postcode,easting,northing', ...lines, ...bad, 'N1 9GU,530478,183123', ''].join(
      '\n',
    );
    expect(positionsOf(text)).toEqual({
      rows: ['N1 9GU 530478,183123'],
      reasons: ['8: -5,183123', '9: 700000,183123', '10: 530478.5,183123'],
    });
    expect(read(text).rows?.live.length).toBe(10);
  });

  it('is the last one of a repeated postcode, and the same after it was stored', () => {
    const { positions } = read('postcode,easting,northing\nN1 9GU,1,2\nE1 6AN,3,4\nN1 9GU,5,6\n');
    const stored = encodePositions(positions!);
    expect(decodePositions(stored)).toEqual(positions);
    expect(positions!.of(positions!.keys[1]!)).toEqual({ easting: 5, northing: 6 });
    expect(positions!.of(12)).toBeNull();
    stored[40]! ^= 1;
    expect(() => decodePositions(stored)).toThrow('checksum');
  });
});

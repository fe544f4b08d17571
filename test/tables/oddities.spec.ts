import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegister } from '../../src/catalogue/register/postcode-register.js';
import { readCatalogue } from '../../src/catalogue/worker/read-files.js';
import { UpdatesFile } from '../../src/orders/delivery/updates-file.js';
import type { FileFaults } from '../../src/platform/tables/csv-table.js';
import { textOfFile } from '../../src/platform/tables/table-file.js';
import { Problem } from '../../src/platform/problems/problem.js';
import { readSiteList, sitesOf } from '../../src/quotes/site-list.js';
import {
  type CellSort,
  oddities,
  type Oddity,
  plainFile,
  type SentTable,
  type TableKind,
  tableKinds,
} from '../fixtures/oddities.js';

/** Where a table has a cell of a sort, and what it says. */
type CellPlaces = Readonly<
  Partial<Record<CellSort, readonly [row: number, column: number, plain: string]>>
>;

interface PlainTable extends SentTable {
  readonly cells: CellPlaces;
}

const prices: PlainTable = {
  head: ['product', 'zone', 'price_list', 'price', 'currency', 'lead_time_days', 'valid_from'],
  rows: [['INT-1G-12', 'UK', 'standard', '500', 'GBP', '10', '2026-11-27']],
  cells: { day: [0, 6, '2026-11-27'], nothing: [0, 6, ''] },
};

const plainTables: Readonly<Record<TableKind, PlainTable>> = {
  sites: {
    head: ['site', 'postcode', 'uprn', 'bandwidth'],
    rows: [
      ['Caf\u00e9 \u00a35 North', 'EC2A 2BS', '100023336956', '1'],
      ['Depot', 'E1 6AZ', '', '10'],
    ],
    cells: {
      text: [0, 0, 'Caf\u00e9 \u00a35 North'],
      uprn: [0, 2, '100023336956'],
      nothing: [1, 2, ''],
    },
  },
  catalogue: {
    head: ['uprn', 'postcode', 'name', 'zone'],
    rows: [
      ['100023336956', 'EC2A 2BS', 'Caf\u00e9 \u00a35 North', 'UK'],
      ['10090000001', 'E1 6AZ', 'Depot', 'UK'],
    ],
    cells: { text: [0, 2, 'Caf\u00e9 \u00a35 North'], uprn: [0, 0, '100023336956'] },
  },
  updates: {
    head: ['order', 'milestone', 'planned', 'note'],
    rows: [
      ['ORD-7F3K9Q', 'surveyed', '2026-11-27', 'Caf\u00e9 \u00a35 North'],
      ['ORD-7F3K9R', 'surveyed', '2026-11-28', ''],
    ],
    cells: {
      text: [0, 3, 'Caf\u00e9 \u00a35 North'],
      day: [0, 2, '2026-11-27'],
      nothing: [1, 2, ''],
    },
  },
  register: {
    head: ['postcode', 'easting', 'northing', 'doterm'],
    rows: [
      ['EC2A 2BS', '533000', '182000', ''],
      ['E1 6AZ', '533100', '181000', ''],
      ['N1 9GU', '', '', '2026-11-27'],
    ],
    cells: { day: [2, 3, '2026-11-27'], nothing: [0, 3, ''], metres: [0, 1, '533000'] },
  },
};

/** What is read, without the places; or all words of the refusal. */
type Reading = { readonly read: unknown } | { readonly refused: string };

const inWords = ({ shown }: FileFaults) =>
  shown.map(({ reason, suggestion }) => `${reason} ${suggestion}`).join(' ');

describe('oddities of tables', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oddities-'));
    const files = {
      products:
        'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\nINT-1G-12,1G,1,1,12',
      coverage: 'place,zone\nEC,UK',
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, `${name}.csv`), text);
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function readingOf(kind: TableKind, bytes: Buffer, file: string): Promise<Reading> {
    try {
      return await readers[kind](bytes, file);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const errors = error instanceof Problem ? error.errors.map(({ detail }) => detail) : [];
      return { refused: [error.message, ...errors].join(' ') };
    }
  }

  const readers: Readonly<Record<TableKind, (bytes: Buffer, file: string) => Promise<Reading>>> = {
    async sites(bytes) {
      const list = await readSiteList(bytes);
      const faults = list.rows.flatMap((row) => row.faults.map(({ detail }) => detail));
      const sites = sitesOf(list);
      return faults.length > 0 ? { refused: faults.join(' ') } : { read: sites };
    },
    async catalogue(bytes, file) {
      for (const [name, table] of Object.entries({ prices, premises: plainTables.catalogue })) {
        await writeFile(join(folder, `${name}.csv`), name === file ? bytes : plainFile(table));
      }
      const { content, faults } = await readCatalogue(folder);
      return faults.total > 0 ? { refused: inWords(faults) } : { read: content };
    },
    async updates(bytes) {
      const { rows, faults } = await UpdatesFile.read(await textOfFile(bytes));
      const changes = [...rows].map(([order, all]) => [order, all.map(({ change }) => change)]);
      return faults.total > 0 ? { refused: inWords(faults) } : { read: changes };
    },
    async register(bytes) {
      const path = join(folder, 'register.txt');
      await writeFile(path, bytes);
      const { rows, positions, faults } = await readRegister(path, () => undefined);
      return faults.total > 0 ? { refused: inWords(faults) } : { read: { rows, positions } };
    },
  };

  /** Null if the table has no such cell. */
  function odd(table: PlainTable, [sort, text]: NonNullable<Oddity['cell']>, isPlain: boolean) {
    const place = table.cells[sort];
    if (!place) return null;
    const [row, column, plain] = place;
    const cell = isPlain ? (text.includes('"') ? text : plain) : text;
    const rows = table.rows.map((cells, i) => (i === row ? cells.with(column, cell) : cells));
    return { head: table.head, rows };
  }

  const cases = oddities.flatMap((oddity) =>
    tableKinds.flatMap((kind) => {
      const { cell, isNeeded = false } = oddity;
      const isOfPrices =
        kind === 'catalogue' && (isNeeded || cell?.[0] === 'day' || cell?.[0] === 'nothing');
      const table = isOfPrices ? prices : plainTables[kind];
      const [sent, plain] = cell
        ? [odd(table, cell, false), odd(table, cell, true)]
        : [table, table];
      return sent && plain
        ? [{ ...oddity, kind, sent, plain, of: isOfPrices ? 'prices' : 'premises' }]
        : [];
    }),
  );

  it.each(cases)(
    '$name: $kind',
    async ({ kind, sent, plain, of, file = plainFile, answers = 'read' }) => {
      const answer =
        typeof answers === 'string' || 'refused' in answers ? answers : (answers[kind] ?? 'read');
      const reading = await readingOf(kind, await file(sent), of);
      if (answer !== 'read') {
        expect(reading).toEqual({ refused: expect.stringContaining(answer.refused) });
        return;
      }
      expect(reading).toEqual(await readingOf(kind, plainFile(plain), of));
      expect(reading).toHaveProperty('read');
    },
  );
});

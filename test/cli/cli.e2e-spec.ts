import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { priced } from '../support/catalogue.js';
import { newFolder } from '../support/closing.js';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import {
  type CatalogueFile,
  catalogueFileNames,
  fileInfo,
} from '../../src/catalogue/content/catalogue-files.js';
import { catalogueFiles, type CatalogueRows } from '../support/given.js';
import { cli, cliAlone, jsonLines, refusal } from '../support/processes.js';
import { cli as cliUnder } from '../support/service-process.js';
import { type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

/** A new folder of this name with the files of a catalogue. */
async function catalogueFolder(name: string, rows: CatalogueRows = {}): Promise<string> {
  const folder = join(await newFolder(), name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(catalogueFiles(rows))) {
    await writeFile(join(folder, fileInfo(file as CatalogueFile).fileName), text);
  }
  return folder;
}

/** The database of a service that runs during the commands. */
let database: DatabaseSettings;
let service: Service;

const run = (...words: string[]) => cli(environmentOf(database), ...words);

beforeAll(async () => {
  database = await newDatabase('sqlite');
  service = await startService('sqlite', { database });
});

it('a command reads no page of the documentation and no API description', async () => {
  const preloaded = new URL('../support/read-files.js', import.meta.url);
  const settings = { ...environmentOf(database), NODE_OPTIONS: `--import=${preloaded.href}` };
  const { code, stderr } = await cliAlone(settings, 'clients', 'list');
  const files = stderr.split('\n').filter((line) => line.startsWith('read '));
  expect(code).toBe(0);
  expect(files).toContainEqual(expect.stringMatching(/\/commands\.js$/));
  expect(
    files.filter((file) => /\/docs\/api\/|\/examples\/|openapi[^/]*\.json/.test(file)),
  ).toEqual([]);
});

describe('catalogue', () => {
  it('says that there is none at first', async () => {
    const settings = environmentOf(await newDatabase('sqlite'));
    const [shown, checked] = await Promise.all([
      cli(settings, 'catalogue', 'list'),
      cli(settings, 'check', 'EC2A 2BS'),
    ]);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      'There is no catalogue yet. Next: catalogue import <folder>\n',
    ]);
    expect(refusal(checked)).toEqual([1, '', 'No catalogue has been loaded yet.']);
  });

  it('is imported only once, and listed', async () => {
    const settings = environmentOf(await newDatabase('sqlite', 'empty'));
    const folder = await catalogueFolder('spring');
    const first = await cli(settings, 'catalogue', 'import', folder);
    expect([first.code, first.stdout.split('\n').at(-2), first.stderr]).toEqual([
      0,
      'Version 1 is active: 4 products, 5 prices, 2 units, 1 subdistricts, 1 districts.',
      '',
    ]);
    expect(first.stdout).toMatch(/^Warnings\nproduct-without-price \(4\): /);
    const [again, shown] = [
      await cli(settings, 'catalogue', 'import', folder, '--label', 'again'),
      await cli(settings, 'catalogue', 'list', '--json'),
    ];
    expect([again.code, again.stdout]).toEqual([0, 'No change: version 1 has the same content.\n']);
    expect(jsonLines(shown)).toEqual([
      expect.objectContaining({ number: 1, state: 'active', label: 'spring', places: 4 }),
    ]);
  });

  it('exits with code 2 only if a guard rail stops it', async () => {
    const settings = environmentOf(await newDatabase('sqlite'));
    const dearer = await catalogueFolder('dearer', priced('999.00'));
    const importing = async (folder: string, ...options: string[]) => {
      const { code, stdout } = await cli(settings, 'catalogue', 'import', folder, ...options);
      return [code, stdout.trim().split('\n').at(-1)];
    };
    const outcomes = [
      await importing(await catalogueFolder('first')),
      await importing(dearer, '--dry-run'),
      await importing(dearer, '--activate'),
      await importing(await catalogueFolder('dear', priced('998.00')), '--activate', '--yes', 'ok'),
    ];
    expect(outcomes).toEqual([
      [0, expect.stringMatching(/^Version 1 is active/)],
      [0, expect.stringMatching(/A guard rail would stop this/)],
      [2, expect.stringMatching(/^Version 2 stays a draft: a guard rail stops it\./)],
      [0, expect.stringMatching(/^Version 3 is active/)],
    ]);
    const codeOf = async (...words: string[]) => (await cli(settings, 'catalogue', ...words)).code;
    expect([
      await codeOf('restore', '1'),
      await codeOf('restore', '1', '--yes'),
      await codeOf('activate', '2'),
      await codeOf('activate', '1'),
    ]).toEqual([2, 0, 2, 1]);
  });

  it('with faults is not imported, and every fault is reported', async () => {
    const { version } = await service.given.catalogue();
    const folder = await catalogueFolder('faulty', {
      prices: ['INT-1G-99,ONNET,standard,550,GBP,84', 'INT-1G-12,ONNET,standard,5.555,GBP,84'],
      coverage: ['EC2A 2OS,ONNET'],
    });
    const { code, stdout, stderr } = await run('catalogue', 'import', folder);
    expect([code, stderr.trim()]).toEqual([1, 'Nothing was imported: 3 faults.']);
    expect(stdout.split('\n').filter((line) => /^\w+\.csv:/.test(line))).toEqual([
      expect.stringMatching(/^prices\.csv:2 product "INT-1G-99": .*INT-1G-12/),
      expect.stringMatching(/^prices\.csv:3 price "5\.555": /),
      expect.stringMatching(/^coverage\.csv:2 place "EC2A 2OS": /),
    ]);
    const [newest] = await service.get(VersionsService).list();
    expect(newest).toMatchObject({ number: version, state: 'active' });
  });

  it('prints every fault, also where the report of them cannot be written', async () => {
    const folder = await catalogueFolder('bare', { coverage: ['EC2A 2OS,ONNET'] });
    const report = join(folder, 'none', 'faults.csv');
    const { code, stdout, stderr } = await run('catalogue', 'import', folder, '--report', report);
    expect([code, stdout.split('\n').length, stderr.trim()]).toEqual([
      1,
      2,
      `${report} cannot be written: its folder does not exist.`,
    ]);
    expect(stdout).toMatch(/^coverage\.csv:2 place "EC2A 2OS": /);
  });

  it.each([
    [['--base', 'x'], 'Must be live or the number of a draft.'],
    [['--base', '0'], 'Must be live or the number of a draft.'],
    [['--label', 'x'.repeat(121)], '--label: Use at most 120 characters; these are 121.'],
  ])('is not imported with %j', async (options, reason) => {
    const { code, stderr } = await run('catalogue', 'import', 'folder', ...options);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('has prices that are adjusted by a percentage', async () => {
    const { version } = await service.given.catalogue();
    const help = await run('catalogue', 'adjust', '--help');
    expect(help.stdout).toContain('adjust [options] <percent>');
    for (const option of ['--price-list <name>', '--round-to <amount>', '--floor <amount>']) {
      expect(help.stdout).toContain(option);
    }
    const asked = ['3', '--price-list', 'standard', '--round-to', '0.50', '--json'];
    const tried = await run('catalogue', 'adjust', ...asked, '--dry-run');
    expect([tried.code, jsonLines(tried)]).toEqual([
      0,
      [expect.objectContaining({ outcome: 'dry-run', version: null, comparedWith: version })],
    ]);
    const [newest] = await service.get(VersionsService).list();
    expect(newest?.number).toBe(version);
    const made = await run('catalogue', 'adjust', ...asked, '--setup', '2');
    const [report] = jsonLines(made);
    expect([made.code, report]).toEqual([0, expect.objectContaining({ outcome: 'draft' })]);
    const [draft] = await service.get(VersionsService).list();
    expect(draft).toMatchObject({ label: '+3 %, set-up +2 % on standard', state: 'draft' });
  });

  it.each([
    [['many'], '<percent>: Enter a percentage from -100 to 1,000 with up to 3 decimals'],
    [['1001'], '<percent>: Enter a percentage'],
    [['3', '--round-to', '0'], '--round-to: Enter an amount above 0'],
    [['3', '--floor', 'low'], '--floor: Enter an amount from 0'],
    [['3', '--product', 'eth-'], '--product: Enter the start of a product code: capital letters'],
    [['3', '--base', 'x'], '--base: Enter the number of a version.'],
    [['3', '--label', 'two\nlines'], '--label: Use one line, without control characters.'],
    [['3', '--zone', 'MOON'], 'No price matches.'],
  ])('is not adjusted with %j', async (words, reason) => {
    await service.given.catalogue();
    const { code, stderr } = await run('catalogue', 'adjust', ...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it.each(['activate', 'restore'])(
    'has versions that %s accepts by their number only',
    async (verb) => {
      const { code, stderr } = await run('catalogue', verb, 'v1');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/'v1' is invalid for argument/)]);
    },
  );

  it('is not exported where no file can be written', async () => {
    await service.given.catalogue();
    const folder = await newFolder();
    const file = join(folder, 'file');
    await writeFile(file, '');
    const zip = join(folder, 'none', 'all.zip');
    expect(refusal(await run('catalogue', 'export', zip))).toEqual([
      1,
      '',
      `${zip} cannot be written: its folder does not exist.`,
    ]);
    expect(refusal(await run('catalogue', 'export', file))).toEqual([
      1,
      '',
      `${file} cannot be written: it is no folder.`,
    ]);
  });

  it('is not exported to a folder with files of another version that it does not have', async () => {
    const premises = ['43,EC2A 2BS,Dark House,-'];
    const { version: full } = await service.given.catalogue({ premises });
    const { version: small } = await service.given.catalogue();
    const folder = join(await newFolder(), 'rates');
    const exported = (version: number) =>
      run('catalogue', 'export', folder, '--version', String(version));
    expect((await exported(full)).code).toBe(0);
    const before = await readFile(join(folder, 'products.csv'), 'utf8');
    await mkdir(join(folder, 'suppliers', 'pxc'), { recursive: true });
    await writeFile(join(folder, 'suppliers', 'pxc', 'costs.csv'), 'x');
    expect(refusal(await exported(small))).toEqual([
      1,
      '',
      `Version ${small} has no premises.csv, suppliers/pxc/costs.csv, but ${folder} has. Remove them, or name another folder. Nothing was written.`,
    ]);
    expect(await readFile(join(folder, 'products.csv'), 'utf8')).toBe(before);
    await rm(join(folder, 'suppliers'), { recursive: true });
    expect((await exported(full)).code).toBe(0);
  });

  it('has the name of its folder as its label, unless another is given', async () => {
    const settings = environmentOf(await newDatabase('sqlite'));
    const labels = [];
    for (const [price, label] of [
      [551, ' '],
      [552, ' new  '],
    ] as const) {
      const folder = await catalogueFolder('rates', priced(`${price}.00`));
      await cli(settings, 'catalogue', 'import', folder, '--activate', '--label', label);
      const [newest] = jsonLines(await cli(settings, 'catalogue', 'list', '--json'));
      labels.push(newest?.label);
    }
    expect(labels).toEqual(['rates', 'new']);
  });

  it('is not imported with a misspelt file, which would be missing', async () => {
    const folder = await catalogueFolder('misspelt');
    for (const name of ['._prices.csv', '~$prices.csv', 'README.md']) {
      await writeFile(join(folder, name), 'x');
    }
    expect((await run('catalogue', 'import', folder, '--dry-run')).code).toBe(0);
    await writeFile(join(folder, 'price-lists.CSV'), 'price_list,based_on,percent\n');
    const names = catalogueFileNames.map((file) => fileInfo(file).fileName);
    expect(refusal(await run('catalogue', 'import', folder))).toEqual([
      1,
      '',
      `${folder} has price-lists.CSV: rename or remove it. The files of a catalogue are ${names.join(', ')}.`,
    ]);
  });

  it('reports missing files', async () => {
    const folder = await newFolder();
    expect(refusal(await run('catalogue', 'import', folder))).toEqual([
      1,
      '',
      ['products', 'prices', 'coverage']
        .map((file) => `${join(folder, file)}.csv is missing.`)
        .join('\n'),
    ]);
  });
});

describe('check', () => {
  beforeAll(() => service.given.catalogue({ premises: ['43,EC2A 2BS,Dark House,-'] }));

  it.each([
    ['ec2a2bs', 'The subdistrict EC2A is in the zone ONNET.', 4],
    ['EC2A 2BR', 'We do not serve EC2A 2BR.', 0],
  ])('of %s shows the reason and the products', async (postcode, why, rows) => {
    const { code, stdout } = await run('check', ...postcode.split(' '));
    const [reason, ...table] = stdout.trim().split('\n');
    expect([code, reason, table.length]).toEqual([0, expect.stringContaining(why), rows]);
  });

  it('shows the prices of another price list', async () => {
    const offers = jsonLines(await run('check', 'EC2A 2BS', '--price-list', 'partner', '--json'));
    expect(
      offers.map(({ productCode, price, priceList }) => [productCode, price, priceList]),
    ).toEqual([
      ['INT-100M-12', 208, 'standard'],
      ['INT-1G-12', 499.5, 'partner'],
      ['INT-1G-36', 450, 'standard'],
    ]);
  });

  it('says which price list, client or version there is not', async () => {
    const { code, stderr } = await run('check', 'EC2A 2BS', '--price-list', 'gold');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Version \d+ has no price list gold: these are the prices of standard\.$/m,
      ),
    ]);
    expect((await run('check', 'EC2A 2BS', '--price-list', 'partner')).stderr).toBe('');
    expect(refusal(await run('check', 'EC2A 2BS', '--client', 'Unknown'))).toEqual([
      1,
      '',
      'There is no API client "Unknown"; `clients list` shows them.',
    ]);
    expect(refusal(await run('check', 'EC2A 2BS', '--at', '2020-01-01T00:00:00Z'))).toEqual([
      1,
      '',
      'No catalogue version was live at this time.',
    ]);
  });

  it('of premises shows what decides for them', async () => {
    const { code, stdout } = await run('check', 'EC2A 2BS', '--uprn', '43');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Dark House is not served.')]);
    expect(stdout).toContain('0 products');
    expect(refusal(await run('check', 'EC2A 2BS', '--uprn', 'x'))[0]).toBe(1);
  });

  it('suggests the likely postcode', async () => {
    const [code, stdout, stderr] = refusal(await run('check', 'EC2A 28S'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/Did you mean EC2A 2BS\?$/);
  });
});

describe('the commands', () => {
  it('have help texts', async () => {
    const [all, one] = await Promise.all([run('--help'), run('tokens', 'issue', '--help')]);
    for (const name of ['catalogue', 'check', 'clients', 'staff', 'tokens', 'db']) {
      expect(all.stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    }
    expect(one.stdout).toContain('--scopes <list>');
    expect([all.code, one.code]).toEqual([0, 0]);
  });

  it('say what they have erased, also if the order itself has nothing of a person', async () => {
    await service.given.catalogue();
    const { orderId } = await service.given.order();
    const token = await service.given.staffToken();
    const move = (name: string, body: object) =>
      postAsStaff(service.http, `/follow-up/orders/${orderId}/${name}`, body, { token });
    await move('claim', { version: 0 });
    await move('release', { version: 1, reason: 'Lovelace asked for Bo.' });
    const erased = async () => (await run('orders', 'erase', orderId)).stdout;
    expect([await erased(), await erased()]).toEqual([
      expect.stringMatching(/^ORD-\w+: erased 1 text written about it\. Earlier backups /),
      expect.stringMatching(/^ORD-\w+ has no personal data\.$/m),
    ]);
  });

  it('that do not exist cause an error', async () => {
    expect(refusal(await run('frobnicate'))).toEqual([
      1,
      '',
      "error: unknown command 'frobnicate'\n(--help shows how)",
    ]);
    expect(refusal(await run('catalogue', 'actvate'))).toEqual([
      1,
      '',
      "error: unknown command 'actvate'\n(Did you mean activate?)\n(--help shows how)",
    ]);
  });

  (existsSync('/dev/full') ? it : it.skip)('report output that cannot be written', async () => {
    const under = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
    const { code, output } = await cliUnder(database, ['tokens', 'list'], { under });
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('The output cannot be written: ENOSPC'),
    ]);
  });

  it('report wrong settings', async () => {
    const settings = { ...environmentOf(database), PORT: 'x', ALLOW_INSECURE: 'y' };
    const { code, stderr } = await cli(settings, 'tokens', 'list');
    expect([code, stderr.split('\n').map((line) => line.split(' ')[0])]).toEqual([
      1,
      ['PORT', 'ALLOW_INSECURE', ''],
    ]);
  });

  it('print the name of their database on stderr, without its password', async () => {
    const postgres = environmentOf(await newDatabase('postgres'));
    const { host, pathname } = new URL(postgres.DATABASE_URL);
    const databases = [];
    for (const settings of [environmentOf(database), postgres]) {
      databases.push((await cli(settings, 'catalogue', 'list')).database);
    }
    expect(databases).toEqual([
      `SQLite, ${resolve(database.sqliteFile)}`,
      `PostgreSQL, ${host}${pathname}`,
    ]);
  });

  it('work on PostgreSQL as well', async () => {
    const settings = environmentOf(await newDatabase('postgres', 'empty'));
    const migrated = await cli(settings, 'db', 'migrate');
    const imported = await cli(settings, 'catalogue', 'import', await catalogueFolder('pg'));
    const revoked = await cli(settings, 'tokens', 'revoke', 'none');
    expect([migrated.stdout, imported.stdout]).toEqual([
      expect.stringMatching(/\nDone\.\n$/),
      expect.stringMatching(/^Version 1 is active/m),
    ]);
    expect(refusal(revoked)).toEqual([
      1,
      '',
      'There is no usable token none; `tokens list` shows them.',
    ]);
  });
});

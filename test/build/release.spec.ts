import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/closing.js';

interface Versions {
  readonly versionFault: (version: string | undefined, present: string) => string | undefined;
  readonly unreleasedIn: (changelog: string) => string;
  readonly isReleasedIn: (changelog: string, version: string) => boolean;
  readonly datedChangelog: (changelog: string, version: string, day: string) => string;
  readonly withVersion: (text: string, version: string) => string;
  readonly manifestWithVersion: (text: string, version: string) => string;
  readonly checksumFile: (digests: Readonly<Record<string, string>>) => string;
}

type Entry = readonly [path: string, content: string, mode?: number];

interface Tar {
  readonly splitName: (path: string) => { readonly prefix: string; readonly name: string };
  readonly foldersOf: (paths: readonly string[]) => string[];
  readonly tar: (files: readonly Entry[], when?: number) => Buffer;
}

interface ReadyFolder {
  readonly isSpare: (path: string, arch: string) => boolean;
  readonly repeatableBill: (text: string, when: number) => string;
  readonly binaryFault: (bytes: Buffer, arch: string) => string | undefined;
}

const scriptOf = (name: string) =>
  import(new URL(`../../../scripts/release/${name}.mjs`, import.meta.url).href) as Promise<unknown>;
const versions = (await scriptOf('versions')) as Versions;
const { splitName, foldersOf, tar } = (await scriptOf('tar')) as Tar;
const { isSpare, repeatableBill, binaryFault } = (await scriptOf('ready-folder')) as ReadyFolder;

const changelog = `# Changelog

## Unreleased

### Added

- A thing.

## 1.0.0 - 2026-11-28

- The first.
`;

describe('the version of a release', () => {
  it.each([
    [undefined, 'Name the version'],
    ['1.0', '"1.0" is not a version'],
    ['v1.0.0', '"v1.0.0" is not a version'],
    ['1.0.0-rc.1', '"1.0.0-rc.1" is not a version'],
    ['0.9.10', '0.9.10 is before 0.10.0'],
  ])('is refused where it is %s', (version, fault) => {
    expect(versions.versionFault(version, '0.10.0')).toContain(fault);
  });

  it.each(['0.10.0', '0.10.1', '0.11.0', '1.0.0'])('can be %s', (version) => {
    expect(versions.versionFault(version, '0.10.0')).toBeUndefined();
  });

  it('is written where archives and images are named, and nowhere else', () => {
    const text = `ARG VERSION=0.3.0
image: product-availability:0.3.0
tar -xzf product-availability-0.3.0-linux-x64.tar.gz
npm install http://localhost/product-availability-0.3.0.tgz
git clone --branch v0.3.0
diff archives/0.3.0/SHA256SUMS
The API is 0.3.0.
`;
    expect(versions.withVersion(text, '1.2.3')).toBe(`ARG VERSION=1.2.3
image: product-availability:1.2.3
tar -xzf product-availability-1.2.3-linux-x64.tar.gz
npm install http://localhost/product-availability-0.3.0.tgz
git clone --branch v1.2.3
diff archives/1.2.3/SHA256SUMS
The API is 0.3.0.
`);
    const lock = '{"version":"0.3.0","packages":{"":{"version":"0.3.0"},"a":{"version":"0.3.0"}}}';
    expect(JSON.parse(versions.manifestWithVersion(lock, '1.2.3'))).toEqual({
      version: '1.2.3',
      packages: { '': { version: '1.2.3' }, a: { version: '0.3.0' } },
    });
  });
});

describe('the changelog', () => {
  it('gets the version and the day, and keeps what was released', () => {
    const dated = versions.datedChangelog(changelog, '1.1.0', '2026-12-24');
    expect(dated).toBe(changelog.replace('## Unreleased', '## 1.1.0 - 2026-12-24'));
    expect(['1.0.0', '1.1.0', '1.1'].map((one) => versions.isReleasedIn(dated, one))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    [changelog, '- A thing.'],
    ['# Changelog\n\n## Unreleased\n\n- At the end.\n', '- At the end.'],
    ['# Changelog\n\n## Unreleased\n\n### Added\n\n## 1.0.0 - 2026-11-28\n\n- The first.\n', ''],
    ['# Changelog\n\n## 1.0.0 - 2026-11-28\n\n- The first.\n', ''],
  ])('says what is not released: %#', (text, entries) => {
    expect(versions.unreleasedIn(text)).toBe(entries);
  });
});

describe('an archive', () => {
  const long = `node_modules/${'a'.repeat(80)}/${'b'.repeat(80)}.js`;
  const files: Entry[] = [
    ['z/run', '#!/bin/sh\n', 0o755],
    [long, 'export {};'],
    ['a.txt', 'text'],
  ];
  const whole = (order: readonly Entry[]) =>
    tar(
      [...foldersOf(order.map(([path]) => path)).map((path): Entry => [path, '']), ...order],
      1e9,
    );

  it('has the same bytes, whatever the order of its files', () => {
    expect(whole(files)).toEqual(whole(files.toReversed()));
  });

  it('is read by tar: sorted, of root, with modes and the given time', async () => {
    const file = join(await newFolder('tar'), 'a.tar.gz');
    writeFileSync(file, whole(files));
    const { stdout } = spawnSync('tar', ['-tvzf', file], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/));
    expect(lines.map(([mode, owner, , day, time, path]) => [mode, owner, day, time, path])).toEqual(
      [
        ['-rw-r--r--', 'a.txt'],
        ['drwxr-xr-x', 'node_modules/'],
        ['drwxr-xr-x', `node_modules/${'a'.repeat(80)}/`],
        ['-rw-r--r--', long],
        ['drwxr-xr-x', 'z/'],
        ['-rwxr-xr-x', 'z/run'],
      ].map(([mode, path]) => [mode, '0/0', '2001-09-09', '01:46', path]),
    );
  });

  it('refuses a path that has no room in a tar', () => {
    expect(splitName('a/b')).toEqual({ prefix: '', name: 'a/b' });
    expect(() => splitName(`a/${'b'.repeat(101)}`)).toThrow('too long');
  });
});

describe('a ready folder', () => {
  it.each([
    ['node_modules/better-sqlite3/prebuilds/linux-x64.node', false],
    ['node_modules/better-sqlite3/prebuilds/linux-arm64.node', true],
    ['node_modules/better-sqlite3/prebuilds/darwin-x64.node', true],
    ['node_modules/better-sqlite3/deps/sqlite3/sqlite3.c', true],
    ['node_modules/better-sqlite3/lib/index.js', false],
    ['node_modules/pg/lib/index.js', false],
    ['node_modules/pg/LICENSE', false],
    ['node_modules/rxjs/dist/types/index.d.ts', true],
    ['node_modules/rxjs/dist/index.js.map', true],
    ['node_modules/typescript/lib/typescript.js', true],
    ['node_modules/.package-lock.json', true],
    ['node_modules/@node-rs/argon2/index.js', false],
  ])('for x64: %s is left out: %s', (path, isLeftOut) => {
    expect(isSpare(path, 'x64')).toBe(isLeftOut);
  });

  it('has a bill of materials that is the same at every time', () => {
    const bill = (serialNumber: string, timestamp: string) =>
      JSON.stringify({
        serialNumber,
        metadata: { timestamp, tools: [serialNumber], component: { name: serialNumber } },
        components: ['pg'],
      });
    const one = repeatableBill(bill('urn:uuid:1', '2026-11-28T15:00:00Z'), 1e9);
    expect(one).toBe(repeatableBill(bill('urn:uuid:2', '2026-11-29T15:00:00Z'), 1e9));
    const { serialNumber, ...rest } = JSON.parse(one) as { serialNumber: string };
    expect(serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(rest).toEqual({
      metadata: {
        timestamp: '2001-09-09T01:46:40.000Z',
        component: { name: 'product-availability-service' },
      },
      components: ['pg'],
    });
  });

  it.each([
    [[0x7f, 0x45, 0x4c, 0x46], 62, undefined],
    [[0x7f, 0x45, 0x4c, 0x46], 183, 'is for another processor than x64'],
    [[0xcf, 0xfa, 0xed, 0xfe], 62, 'is not a program for Linux'],
  ])('refuses a binary of another machine: %#', (magic, machine, fault) => {
    const bytes = Buffer.alloc(64);
    Buffer.from(magic).copy(bytes);
    bytes.writeUInt16LE(machine, 18);
    expect(binaryFault(bytes, 'x64')).toBe(fault);
  });
});

it('checksums are what sha256sum reads', () => {
  expect(versions.checksumFile({ b: '2', a: '1' })).toBe('1  a\n2  b\n');
});

import { mkdir, writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { newFolder } from '../../../test/support/closing.js';
import { unpackPostcode } from '../../platform/kernel/postcode.js';
import { readRegister } from './postcode-register.js';

/** As Ordnance Survey publishes it: the names in short and in full, and areas without a header. */
const codePoint = {
  'Doc/Code-Point_Open_Column_Headers.csv':
    'PC,PQ,EA,NO,CY,RH,LH,CC,DC,WC\nPostcode,Positional_quality_indicator,Eastings,Northings,Country_code,NHS_regional_HA_code,NHS_HA_code,Admin_county_code,Admin_district_code,Admin_ward_code\n',
  'Doc/licence.txt': 'Open Government Licence',
  'Data/CSV/ab.csv': '"AB101AB",10,394235,806529,"S92000003","","S08000020","","S12000033","x"\n',
  'Data/CSV/n.csv':
    '"N1 9GU",10,530478,183123,"E92000001"\n"N1 9GX",90,0,0,"E92000001"\nbad,10,1,1\n',
};
/** As ONS publishes it: one file of all, and the same again by area. */
const directory = {
  'Data/ONSPD_NOV_2025_UK.csv':
    'pcd7,pcd8,pcds,dointr,doterm,cty25cd,east1m,north1m,gridind\n"N1 9GU","N1  9GU","N1 9GU","198001","","E9",530478,183123,1\n"AB101AB","AB10 1AB","AB10 1AB","198001","","S9",394235,0806529,1\n"N1 9GX","N1  9GX","N1 9GX","198001","","E9",,,9\n"N1 9GY","N1  9GY","N1 9GY","198001","201906","E9",530478,183123,1\n',
  'Data/multi_csv/ONSPD_NOV_2025_UK_AB.csv': 'pcds,doterm\nAB10 1AB,\n',
  'Documents/Country names.csv': 'CTRY,NAME\nE92000001,England\n',
};

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder('register');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function zipWith(files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(await newFolder('register'), 'download.zip');
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

async function read(path: string) {
  const progress: number[][] = [];
  const { kind, rows, positions, faults } = await readRegister(path, (...at) => progress.push(at));
  const [done, total] = progress.at(-1) ?? [];
  expect(done).toBe(total);
  return {
    kind,
    live: Array.from(rows?.live ?? [], (key) => unpackPostcode(key).unit),
    placed: Array.from(positions?.keys ?? [], (key, i) => {
      const { easting, northing } = positions!.at(i);
      return `${unpackPostcode(key).unit} ${easting} ${northing}`;
    }),
    faults: faults.shown.map(({ file, line, value }) => `${file} ${line} ${value}`),
  };
}

const placed = ['AB10 1AB 394235 806529', 'N1 9GU 530478 183123'];

it.each([
  ['a folder', folderWith],
  ['a zip', zipWith],
])('reads Code-Point Open from %s, with its header from a separate file', async (_, packed) => {
  expect(await read(await packed(codePoint))).toEqual({
    kind: 'Code-Point Open',
    live: ['AB10 1AB', 'N1 9GU', 'N1 9GX'],
    placed,
    faults: ['n.csv 3 bad'],
  });
});

it.each([
  ['a folder', folderWith],
  ['a zip', zipWith],
])('reads ONSPD from %s, once', async (_, packed) => {
  expect(await read(await packed(directory))).toEqual({
    kind: 'ONSPD',
    live: ['AB10 1AB', 'N1 9GU', 'N1 9GX'],
    placed,
    faults: [],
  });
});

it('reads a compressed file', async () => {
  const path = join(await folderWith({}), 'positions.csv.gz');
  await writeFile(path, gzipSync('# London\npostcode,easting,northing\nN1 9GU,530478,183123\n'));
  expect(await read(path)).toMatchObject({ kind: 'Positions', placed: [placed[1]] });
});

it('says what to import instead of another folder, another zip, or an area without a header', async () => {
  const other = { 'Documents/Country names.csv': 'CTRY,NAME\nE92000001,England\n' };
  for (const path of [await folderWith(other), await zipWith(other)]) {
    await expect(read(path)).rejects.toThrow('neither Code-Point Open nor ONSPD');
  }
  const folder = await folderWith(codePoint);
  const { faults } = await readRegister(join(folder, 'Data/CSV/n.csv'), () => undefined);
  expect(faults.shown[0]!.suggestion).toContain('folder or zip of Code-Point Open');
  const damaged = join(folder, 'positions.csv.gz');
  await writeFile(damaged, 'postcode,easting,northing\n');
  await expect(read(damaged)).rejects.toThrow('cannot be read');
  await expect(read(join(folder, 'none.csv'))).rejects.toThrow('cannot be read');
});

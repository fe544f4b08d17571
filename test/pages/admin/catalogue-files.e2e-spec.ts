import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import type { ImportView, VersionView } from '../../../src/catalogue/catalogue.dto.js';
import { type CatalogueFile, fileInfo } from '../../../src/catalogue/content/catalogue-files.js';
import { CatalogueService } from '../../../src/catalogue/versions/catalogue.service.js';
import { cells, signedIn, told, way } from '../../support/admin-pages.js';
import { catalogueFiles } from '../../support/given.js';
import type { Reply } from '../../support/http.js';
import { type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';
import { zipOf } from '../../support/zip.js';

let service: Service;
let admin: StaffBrowser;
let staff: string;
beforeAll(async () => {
  service = await startService('sqlite', { config: { rateLimits: false } });
  ({ admin } = await signedIn(service));
  staff = await service.given.staffToken();
});
/** The number of the version that a test imports. The live one is without the optional files. */
let next: number;
beforeEach(async () => {
  await service.given.catalogue();
  next = service.get(CatalogueService).current.version + 1;
});
afterAll(() => service.close());

const everyFile = catalogueFiles({
  premises: ['100023336956,EC2A 2BS,"Tower, 1st floor",NEARNET', '7,EC2A 2BS,,-'],
  zones: ['NEARNET,"Near, by a dig",onNetWithBuild,2027-09-01,Ducts first'],
  priceLists: ['gold,standard,-10,0.50'],
});
const zip = zipOf(
  Object.entries(everyFile).map(([file, text]) => [fileInfo(file as CatalogueFile).fileName, text]),
);

async function formWith(file: Buffer, fields: Record<string, string>, name = 'rates.zip') {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('files', new Blob([new Uint8Array(file)]), name);
  const request = new Response(form);
  return {
    method: 'POST',
    headers: { 'Content-Type': request.headers.get('content-type')! },
    body: Buffer.from(await request.arrayBuffer()),
  } as const;
}

async function onPage(file: Buffer, name?: string): Promise<Reply<string>> {
  const fields = { label: 'All files', base: 'live' };
  const { headers, ...form } = await formWith(file, fields, name);
  const navigation = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' };
  const path = '/staff/catalogue/versions';
  return admin.send({ ...form, path, headers: { ...headers, ...navigation } });
}

async function overApi(file: Buffer): Promise<Reply<ImportView>> {
  const form = await formWith(file, { label: 'All files' });
  return service.http.send({ ...form, path: '/catalogue/versions', token: staff });
}

async function download(path: string, headers: Record<string, string>): Promise<Buffer> {
  const reply = await service.http.open(path, { headers });
  expect(reply.statusCode).toBe(200);
  return buffer(reply);
}

const publish = (number: number) =>
  service.http.post<VersionView>(
    `/catalogue/versions/${number}/activation`,
    { accept: 'test' },
    { token: staff },
  );

it('are named once on the page that uploads them', async () => {
  const { text } = await admin.get('/staff/catalogue/new');
  expect(text.match(/>[^<]*build_bands\.csv/g)).toHaveLength(1);
});

it('imports a zip with every file on the page; to import its download changes nothing', async () => {
  expect(way(await onPage(zip))).toEqual([
    303,
    `/staff/catalogue/versions/${next}?said=version-draft`,
  ]);
  const changes = async (list: string) =>
    cells(await admin.get(`/staff/catalogue/versions/${next}/changes?list=${list}`));
  expect([await changes('zones'), await changes('priceLists'), await changes('premises')]).toEqual([
    [['NEARNET', 'added', 'none', expect.stringContaining('ready_date 2027-09-01')]],
    [['gold', 'added', 'none', 'based_on standard; percent -10; round_to 0.5']],
    [
      ['7 EC2A 2BS', 'lost', 'ONNET', 'none'],
      ['100023336956 EC2A 2BS', 'moved', 'ONNET', 'NEARNET'],
    ],
  ]);
  expect((await publish(next)).body.state).toBe('active');
  const again = await download(`/staff/catalogue/versions/${next}/files`, {
    Cookie: `staff=${admin.cookie}`,
  });
  expect(told(await onPage(again))).toEqual([
    200,
    `Version ${next} has the same content. Nothing was stored.`,
  ]);
});

it('imports a zip with every file over the API; to import its download changes nothing', async () => {
  const { status, body } = await overApi(zip);
  expect([status, body.outcome, body.version]).toEqual([201, 'draft', next]);
  expect((await publish(next)).body.state).toBe('active');
  const { content } = service.get(CatalogueService).current;
  expect([content.zones.length, content.priceLists.length, content.premises.count]).toEqual([
    1, 1, 2,
  ]);
  const again = await download(`/catalogue/versions/${next}/files`, {
    Authorization: `Bearer ${staff}`,
  });
  expect((await overApi(again)).body).toMatchObject({ outcome: 'no-change', version: next });
});

it('refuses a zip with a CSV file of another name', async () => {
  const wrong = zipOf([['price-lists.csv', everyFile.priceLists!]]);
  expect(told(await onPage(wrong))).toEqual([
    422,
    expect.stringMatching(
      /^upload\.zip has price-lists\.csv: rename or remove it\. The files of a catalogue are products\.csv, .*\.csv\.$/,
    ),
  ]);
});

it('recognises a map by its name, alone or in a zip', async () => {
  const empty = '{"type":"FeatureCollection","features":[]}';
  for (const name of ['coverage (1).geojson', 'coverage.json']) {
    expect(told(await onPage(Buffer.from(empty), name))[0]).toBe(200);
  }
  expect(told(await onPage(zipOf([['map/coverage.geojson', empty]])))[0]).toBe(200);
});

it('refuses a map in another format, with the command that converts it', async () => {
  const command = 'ogr2ogr -f GeoJSON -t_srs EPSG:4326 coverage.geojson';
  for (const name of ['network.shp', 'network.kml']) {
    expect(told(await onPage(Buffer.from('x'), name))[1]).toContain(`${command} ${name}`);
    const zipped = told(await onPage(zipOf([[name, 'x']])));
    expect(zipped).toEqual([422, expect.stringContaining(`${command} ${name}`)]);
  }
});

it('keeps the name of the version if a file is refused for its name', async () => {
  const refused = await onPage(zip, 'rates.txt');
  expect([refused.status, refused.text]).toEqual([
    422,
    expect.stringContaining('value="All files"'),
  ]);
});

it('is changed by one file that is downloaded, edited, and uploaded alone', async () => {
  const live = next - 1;
  const path = `/staff/catalogue/versions/${live}/files/volume.csv`;
  expect((await admin.get('/staff/catalogue/new')).text).toContain(`href="${path}"`);
  const { text } = await admin.get(path);
  const uploaded = await onPage(Buffer.from(`${text}standard,*,10,5\n`), 'volume (1).csv');
  expect(way(uploaded)).toEqual([303, `/staff/catalogue/versions/${next}?said=version-draft`]);
  const draft = await admin.get(`/staff/catalogue/versions/${next}`);
  expect(draft.text).toContain('Volume discounts: view 1');
  expect(draft.text).not.toContain('Prices: view');
});

import { describe, expect, it } from '@jest/globals';
import { Positions } from '../../../near-net/positions.js';
import { parsePostcode, type Postcode } from '../../../platform/kernel/postcode.js';
import { toGrid, unpackNumbers } from '../../polygons/outline.js';
import { compileContent, decodeContent } from '../content-codec.js';
import { CatalogueFilesReader, parseCatalogueFiles } from './csv-reader.js';
import { printCatalogue } from './csv-writer.js';

type Point = readonly number[];

const packed = (text: string) => (parsePostcode(text) as Postcode).packed;

const register = (
  [
    ['EC2A 2BR', -0.08, 51.522],
    ['EC2A 2BS', -0.083, 51.521],
    ['EC2A 2BT', -0.082, 51.5215],
    ['EC2A 2BU', -0.0825, 51.5215],
  ] as const
).map(([unit, longitude, latitude]) => {
  const [easting, northing] = toGrid(longitude, latitude).map(Math.round) as [number, number];
  return { key: packed(unit), easting, northing };
});
const positions = new Positions(
  Uint32Array.from(register, ({ key }) => key),
  Uint32Array.from(register, ({ easting }) => easting),
  Uint32Array.from(register, ({ northing }) => northing),
);

const tables = {
  products:
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\nINT-1G-12,Internet,1,1,12\n',
  prices:
    'product,zone,price_list,price,currency,lead_time_days\nINT-1G-12,FIBRE,,100,GBP,10\nINT-1G-12,OUTER,,200,GBP,10\n',
  coverage: 'place,zone\nEC,OUTER\n',
};

const box = (west: number, south: number, east: number, north: number): Point[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
/** Has EC2A 2BS, EC2A 2BT and EC2A 2BU. */
const city = box(-0.0835, 51.5205, -0.0815, 51.522);

const feature = (
  properties: object | null = { label: 'City', zone: 'FIBRE' },
  coordinates: unknown = [city],
  type = 'Polygon',
) => ({ type: 'Feature', properties, geometry: { type, coordinates } });
const collection = (features: readonly object[], more: object = {}) =>
  JSON.stringify({ type: 'FeatureCollection', ...more, features });
const crs = (name: string) => ({ crs: { type: 'name', properties: { name } } });

function read(polygons: string, more: object = {}) {
  return parseCatalogueFiles({ ...tables, ...more, polygons }, {}, positions);
}

/** The postcodes of each polygon. */
function places(polygons: string, more: object = {}) {
  const { content, faults } = read(polygons, more);
  if (!content) throw new Error(JSON.stringify(faults.shown));
  return Object.fromEntries(
    content.polygons.map(({ label, units }) => [
      label,
      [...unpackNumbers(units)].map((key) => 'RSTU'[register.findIndex((row) => row.key === key)]),
    ]),
  );
}

function faultsOf(polygons: string, more: object = {}) {
  return read(polygons, more).faults.shown.map(
    ({ line, column, value, reason }) => `${line} ${column} ${value}: ${reason}`,
  );
}

const grid = city.map(([x, y]) => toGrid(x!, y!));
const inCity = { City: ['S', 'T', 'U'] };

describe('coverage.geojson', () => {
  it.each([
    ['RFC 7946', collection([feature()])],
    [
      'GDAL, with its name and CRS84',
      collection([feature()], { name: 'a', ...crs('urn:ogc:def:crs:OGC:1.3:CRS84') }),
    ],
    ['EPSG:4326', collection([feature()], crs('urn:ogc:def:crs:EPSG::4326'))],
    [
      'the National Grid',
      collection([feature(undefined, [grid])], crs('urn:ogc:def:crs:EPSG::27700')),
    ],
    ['ArcGIS on the National Grid', collection([feature(undefined, [grid])], crs('EPSG:27700'))],
    [
      'crs after the features',
      `{"type":"FeatureCollection","features":[${JSON.stringify(feature(undefined, [grid]))}],"crs":${JSON.stringify(crs('EPSG:27700').crs)}}`,
    ],
    [
      'height and measure',
      collection([feature(undefined, [city.map((point) => [...point, 12.5, 0])])]),
    ],
    [
      'MultiPolygon',
      collection([feature(undefined, [[city], [box(-0.2, 51.4, -0.19, 51.41)]], 'MultiPolygon')]),
    ],
    ['a ring that goes clockwise', collection([feature(undefined, [city.toReversed()])])],
    ['17 digits', collection([feature()]).replace('-0.0835', '-0.083500000000000001')],
    ['exponents', collection([feature()]).replace('-0.0835', '-8.35e-2')],
    [
      'a byte order mark and CRLF',
      `\ufeff${JSON.stringify(JSON.parse(collection([feature()])), null, 2).replaceAll('\n', '\r\n')}`,
    ],
    ['a feature on each line', `${JSON.stringify(feature())}\r\n`],
    ['a text sequence', `\u001e${JSON.stringify(feature())}\n`],
    [
      'names in capitals, and other attributes',
      collection([
        feature({ fid: 1, LABEL: 'City', ZONE: ' FIBRE ', coordinates: [[['a']]], 'ü"\\': null }),
      ]),
    ],
    [
      'a priority as PostGIS and QGIS write it',
      collection([feature({ label: 'City', zone: 'FIBRE', priority: '1.0' })]),
    ],
  ])('reads %s', (_, text) => {
    expect(places(text)).toEqual(inCity);
  });

  it.each([1, 7, 64])('reads chunks of %s bytes', (size) => {
    const features = [
      feature({ label: 'Café "[', zone: 'FIBRE' }),
      feature({ label: 'B', zone: '-' }),
    ];
    const bytes = Buffer.from(collection(features, { name: 'a', ...crs('EPSG:4326') }));
    const reader = new CatalogueFilesReader(() => positions);
    for (const [file, text] of Object.entries(tables)) reader.push(file as 'prices', text);
    for (let at = 0; at < bytes.length; at += size)
      reader.polygons.push(bytes.subarray(at, at + size));
    expect(reader.end().faults.shown.map(({ value, column }) => [column, value])).toEqual([
      ['feature 1', 'Café "['],
    ]);
  });

  it('leaves out holes, and lets the higher priority decide', () => {
    const hole = box(-0.0821, 51.5214, -0.0819, 51.5216);
    const inner = feature({ label: 'Core', zone: 'OUTER', priority: 5 }, [
      box(-0.0831, 51.5209, -0.0829, 51.5211),
    ]);
    expect(places(collection([feature(undefined, [city, hole]), inner]))).toEqual({
      City: ['U'],
      Core: ['S'],
    });
  });

  it('leaves a unit of coverage.csv as it is, also where polygons contradict one another', () => {
    const coverage = `${tables.coverage}EC2A 2BS,-\nEC2A 2BT,OUTER\nEC2A 2BU,OUTER\n`;
    const other = feature({ label: 'Other', zone: 'OUTER' });
    expect(places(collection([feature(), other]), { coverage })).toEqual({ City: [], Other: [] });
  });

  it('gives listed premises with a position their own polygon, unless they or their unit have a row', () => {
    const [easting, northing] = toGrid(-0.0825, 51.521).map(Math.round);
    const row = (uprn: number, postcode: string, zone: string) =>
      `${uprn},${postcode},,${zone},${easting},${northing}\n`;
    const premises = `uprn,postcode,name,zone,easting,northing\n${row(1, 'EC2A 2BR', '')}${row(2, 'EC2A 2BR', '-')}${row(3, 'EC2A 2BT', '')}`;
    const coverage = `${tables.coverage}EC2A 2BT,OUTER\n`;
    const { content } = read(collection([feature()]), { premises, coverage });
    expect([...unpackNumbers(content!.polygons[0]!.premises)]).toEqual([1]);
  });

  it('covers places as rows of coverage.csv would, and comes back from an export as it was', async () => {
    const polygons = collection([
      feature(),
      feature({ label: 'Park', zone: '-', priority: 2 }, [box(-0.0831, 51.5209, -0.0829, 51.5211)]),
    ]);
    const first = await compileContent(read(polygons).content!);
    const units = `${tables.coverage}EC2A 2BS,-\nEC2A 2BT,FIBRE\nEC2A 2BU,FIBRE\n`;
    const listed = await compileContent(
      parseCatalogueFiles({ ...tables, coverage: units }).content!,
    );
    expect(first.stored.hash).toBe(listed.stored.hash);

    const files = printCatalogue(await decodeContent(first.source!));
    const texts = Object.fromEntries(files.map(({ file, chunks }) => [file, [...chunks].join('')]));
    const again = await compileContent(parseCatalogueFiles(texts, {}, positions).content!);
    expect(again.source!.hash).toBe(first.source!.hash);
  });

  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const withCoordinates = (text: string) =>
    `{"type":"Feature","properties":{"label":"City","zone":"FIBRE"},"geometry":{"type":"Polygon","coordinates":${text}}}`;

  it.each([
    [
      'a ring that is not closed',
      collection([feature(undefined, [city.slice(0, -1)])]),
      '1 feature 1 City: A ring is not closed: it starts at -0.0835, 51.5205 and ends at -0.0835, 51.522.',
    ],
    [
      'an outline that crosses itself',
      collection([feature(undefined, [[city[0]!, city[2]!, city[1]!, city[3]!, city[0]!]])]),
      '1 feature 1 City: Its outline crosses itself near easting 533,204, northing 181,920.',
    ],
    [
      'a position outside the grid',
      collection([feature(undefined, [box(2.3, 48.8, 2.4, 48.9)])]),
      '1 feature 1 City: The position 2.3, 48.8 is outside the National Grid of Great Britain.',
    ],
    [
      '1e308',
      withCoordinates('[[[1e308,51],[0,51],[0,52],[1e308,51]]]'),
      '1 feature 1 City: The position 1e+308, 51 is outside the National Grid of Great Britain.',
    ],
    [
      'swapped coordinates',
      collection([feature(undefined, [city.map(([x, y]) => [y, x])])]),
      '1 feature 1 City: Latitude and longitude are swapped: 51.5205, -0.0835.',
    ],
    [
      'metres without crs',
      collection([feature(undefined, [box(533_000, 181_000, 534_000, 182_000)])]),
      '1 feature 1 City: The coordinates are metres, such as 533000, 181000, but the file does not say of which system.',
    ],
    [
      'another crs',
      collection([feature()], crs('EPSG:3857')),
      '1 crs EPSG:3857: The coordinate system is neither WGS 84 (EPSG:4326) nor the National Grid (EPSG:27700).',
    ],
    [
      'an unknown zone',
      collection([feature({ label: 'City', zone: 'FIBER' })]),
      '1 feature 1 City: No other file has the zone FIBER.',
    ],
    [
      'no label',
      collection([feature({ Name: 'City', zone: 'FIBRE' })]),
      '1 feature 1 : It has no attribute label. It has: Name, zone.',
    ],
    [
      'no attributes',
      collection([feature(null)]).replace('null', '{"label":"City"}'),
      '1 feature 1 City: It has no attribute zone. It has: label.',
    ],
    [
      'a label twice',
      collection([feature(), feature()]),
      '1 feature 2 City: The label is also that of feature 1.',
    ],
    [
      'a bad priority',
      collection([feature({ label: 'City', zone: 'FIBRE', priority: 'high' })]),
      '1 feature 1 City: A priority is a whole number.',
    ],
    [
      'a null geometry',
      collection([{ ...feature(), geometry: null }]),
      '1 feature 1 City: It has no geometry.',
    ],
    [
      'a line',
      collection([feature(undefined, city, 'LineString')]),
      '1 feature 1 City: It is a LineString, not a Polygon or MultiPolygon.',
    ],
    [
      'a collection of geometries',
      collection([
        {
          ...feature(),
          geometry: { type: 'GeometryCollection', geometries: [feature().geometry] },
        },
      ]),
      '1 feature 1 City: It is a GeometryCollection, not a Polygon or MultiPolygon.',
    ],
    ['an empty polygon', withCoordinates('[]'), '1 feature 1 City: Its outline is empty.'],
    [
      'coordinates of a MultiPolygon in a Polygon',
      collection([feature(undefined, [[city]])]),
      '1 feature 1 City: Its coordinates are not those of a Polygon.',
    ],
    [
      '100,000 nested lists of coordinates',
      withCoordinates(nested(100_000)),
      '1  : The file has lists in lists, more than 64 levels deep.',
    ],
    [
      '100,000 nested lists',
      nested(100_000),
      '1  : The file has lists in lists, more than 64 levels deep.',
    ],
    ['a missing comma', withCoordinates('[[[0 51]]]'), '1  : The file is not valid JSON here.'],
    [
      'a file that ends early',
      collection([feature()]).slice(0, -20),
      '1  : The file ends in the middle of a feature.',
    ],
    [
      'Esri JSON',
      '{"geometryType":"esriGeometryPolygon","features":[{"attributes":{},"geometry":{"rings":[]}}]}',
      '1  : The file is Esri JSON.',
    ],
    ['KML', '<?xml version="1.0"?><kml/>', '1  : The file is XML, such as KML or GML.'],
    [
      'a bare geometry',
      JSON.stringify(feature().geometry),
      '1  : The file has a "Polygon" in place of a Feature with a zone and a label.',
    ],
    [
      'two polygons of one priority',
      collection([feature(), feature({ label: 'Other', zone: 'OUTER' })]),
      '1 feature 2 Other: It overlaps "City", of the zone FIBRE and the same priority 0, at 3 postcodes: EC2A 2BS, EC2A 2BT, EC2A 2BU.',
    ],
  ])('refuses %s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it('reads no feature of more than 1,000,000 vertices to its end', () => {
    const [first, start] = [feature(), feature(undefined, [[]])].map((one) => JSON.stringify(one));
    const vertices = '[-0.08,51.52,0,0],'.repeat(1_000_001);
    expect(faultsOf(`${first}\n${start!.slice(0, -']]}}'.length)}[${vertices}`)).toEqual([
      '2  : The feature that starts here has more than 1,000,000 vertices.',
    ]);
  });

  it('names the line on which a feature starts', () => {
    const text = collection([feature(), { ...feature(), geometry: null }]).replaceAll(
      '{"type":"Feature"',
      '\n$&',
    );
    expect(faultsOf(text)).toEqual([
      '3 feature 2 City: It has no geometry.',
      '3 feature 2 City: The label is also that of feature 1.',
    ]);
  });

  it('needs positions', () => {
    const { faults } = parseCatalogueFiles({ ...tables, polygons: collection([feature()]) });
    expect(faults.shown[0]).toMatchObject({
      reason: 'The postcode register has no positions, so no postcode is in a polygon.',
    });
  });

  it('takes an empty collection as a map without polygons', () => {
    expect(places(collection([]))).toEqual({});
  });
});

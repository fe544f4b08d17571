import type { Positions } from '../../../near-net/positions.js';
import { printPlace } from '../../../platform/kernel/postcode.js';
import { lowerBound } from '../../../platform/kernel/sorted.js';
import { counted } from '../../../platform/kernel/counts.js';
import type { FaultList, FaultReason } from '../../../platform/tables/csv-table.js';
import { didYouMean } from '../../../platform/tables/nearest.js';
import {
  GeoJsonReader,
  type MapFault,
  type MapFeature,
  MapUnreadable,
} from '../../polygons/geojson.js';
import {
  type MapSystem,
  NO_OUTLINE,
  packNumbers,
  packOutline,
  ringsOf,
  UNITS,
  unpackOutline,
} from '../../polygons/outline.js';
import { type PlacePoints, type PolygonClash, PolygonIndex } from '../../polygons/placement.js';
import { fileInfo } from '../catalogue-files.js';
import type { CatalogueContent } from '../catalogue.js';
import { BadCell } from '../cells.js';
import { NO_ROW } from '../coverage-codec.js';
import { sortedRows } from '../offers.js';
import type { PremisesIndex } from '../premises-index.js';
import { polygonFields, type PolygonRow } from '../zone-fields.js';

const FILE = fileInfo('polygons').fileName;

/** What a catalogue needs whose places are found by their positions. */
export const POSITIONS_NEEDED =
  'Run: postcodes import <file>, with ONSPD, Code-Point Open, or a file of postcode,easting,northing.';

/** Postcodes that a fault names. */
const MOST_NAMED = 3;

/** The names of EPSG:27700 and of WGS 84 in files of QGIS, ArcGIS, PostGIS and GDAL. */
const SYSTEMS: readonly (readonly [RegExp, MapSystem])[] = [
  [/(^|:)27700$/, 'grid'],
  [/(^|:)(4326|CRS84)$/i, 'wgs84'],
];

/** A polygon of the file, before its places are found. */
type DrawnPolygon = Pick<PolygonRow, 'label' | 'zone' | 'priority' | 'outline'>;

/** Reads coverage.geojson: the polygons of a map, and the places in each. */
export class PolygonReader {
  private readonly features: MapFeature[] = [];
  private readonly reader = new GeoJsonReader((feature) => this.features.push(feature));
  private isGiven = false;
  private isReadable = true;
  private readonly drawn: DrawnPolygon[] = [];
  /** The feature of each label. */
  private readonly featureOf = new Map<string, MapFeature>();

  /** @param positions of the register; null if it has none */
  constructor(
    private readonly faults: FaultList,
    private readonly positions: () => Positions | null,
  ) {}

  push(chunk: Buffer): void {
    this.isGiven ||= chunk.length > 0;
    this.reading(() => this.reader.push(chunk));
  }

  /** The zones that polygons name, without `-`. */
  zones(): string[] {
    return this.drawn.flatMap(({ zone }) => (zone === EXCLUDED_ZONE ? [] : zone));
  }

  /** Reads the features. @param zones those that the other files know */
  end(zones: ReadonlySet<string>): void {
    if (!this.isGiven) return;
    this.reading(() => this.reader.end());
    if (!this.isReadable) return;
    const system = this.system();
    if (!system) return;
    for (const feature of this.features.splice(0)) this.readFeature(feature, system, zones);
  }

  /** The rows, with the places that each polygon decides. Reports polygons that contradict one another. */
  place({ coverage, premises }: Pick<CatalogueContent, 'coverage' | 'premises'>): PolygonRow[] {
    const drawn = sortedRows(polygonFields, this.drawn);
    if (drawn.length === 0) return [];
    const positions = this.positions();
    if (positions === null) {
      this.refuse(1, '', '', {
        reason: 'The postcode register has no positions, so no postcode is in a polygon.',
        suggestion: POSITIONS_NEEDED,
      });
      return [];
    }
    const index = new PolygonIndex(drawn);
    const [units, borders, listed] = [0, 1, 2].map(() => drawn.map((): number[] => []));
    const clashes = new Map<string, { readonly pair: readonly number[]; keys: number[] }>();
    const clash = (pair: readonly [number, number], key: number) => {
      const known = clashes.get(String(pair)) ?? { pair, keys: [] };
      clashes.set(String(pair), known);
      if (known.keys.at(-1) !== key) known.keys.push(key);
    };
    const own = coverage.coverage.levels.unit.keys;
    const hasRow = (key: number) => own[lowerBound(own, key)] === key;
    index.place(positions, (place, decides, near) => {
      const key = positions.keys[place]!;
      if (hasRow(key)) return;
      if (typeof decides === 'number') units![decides]!.push(key);
      else if (decides) clash(decides, key);
      if (near !== null) borders![typeof decides === 'number' ? decides : near]!.push(key);
    });
    const placed = premisesToPlace(premises);
    const inPlace = (place: number, decides: PolygonClash | number | null) => {
      const key = placed.keys[place]!;
      if (hasRow(key)) return;
      if (typeof decides === 'number') listed![decides]!.push(placed.uprns[place]!);
      else if (decides) clash(decides, key);
    };
    index.place(placed, inPlace, false);
    for (const { pair, keys } of clashes.values()) this.refuseClash(drawn, pair, keys);
    return drawn.map((polygon, i) => ({
      ...polygon,
      units: packNumbers(units![i]!),
      premises: packNumbers(listed![i]!.sort((a, b) => a - b)),
      border: packNumbers(borders![i]!),
    }));
  }

  private refuseClash(
    drawn: readonly DrawnPolygon[],
    pair: readonly number[],
    keys: readonly number[],
  ): void {
    const [one, other] = pair.map((polygon) => drawn[polygon]!) as [DrawnPolygon, DrawnPolygon];
    const named = keys.slice(0, MOST_NAMED).map((key) => printPlace('unit', key));
    const more = keys.length > named.length ? ', …' : '';
    this.refuseFeature(this.featureOf.get(other.label)!, {
      reason: `It overlaps "${one.label}", of the zone ${one.zone} and the same priority ${one.priority}, at ${counted(keys.length, 'postcode')}: ${named.join(', ')}${more}.`,
      suggestion:
        'Give one of the two a higher priority: the polygon with the highest number decides.',
    });
  }

  private reading(read: () => void): void {
    if (!this.isReadable) return;
    try {
      read();
    } catch (error) {
      if (!(error instanceof MapUnreadable)) throw error;
      this.isReadable = false;
      this.refuse(error.line, '', '', error.fault);
    }
  }

  private system(): MapSystem | null {
    const { crs } = this.reader;
    if (crs === null) return 'wgs84';
    const { properties } = crs as { readonly properties?: { readonly name?: unknown } };
    const name = textOf(properties?.name ?? crs);
    const found = SYSTEMS.find(([pattern]) => pattern.test(name));
    if (found) return found[1];
    this.refuse(1, 'crs', name, {
      reason:
        'The coordinate system is neither WGS 84 (EPSG:4326) nor the National Grid (EPSG:27700).',
      suggestion: 'Export the layer again with the coordinate system EPSG:4326.',
    });
    return null;
  }

  private readFeature(feature: MapFeature, system: MapSystem, zones: ReadonlySet<string>): void {
    const cells = new Map(
      Object.entries(feature.properties).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const names = Object.keys(feature.properties).join(', ') || 'none';
    const read = (['label', 'zone', 'priority'] as const).map((property) => {
      const { column, parse, absent } = polygonFields[property] as {
        column: string;
        parse: (text: string, row: object) => string | number | BadCell;
        absent?: number;
      };
      const value = cells.get(column);
      const text = textOf(value).trim();
      if (text === '' && absent !== undefined) return absent;
      const parsed = parse(text, {});
      if (!(parsed instanceof BadCell)) return parsed;
      const hasIt = cells.has(column);
      this.refuseFeature(feature, {
        reason: hasIt ? parsed.reason : `It has no attribute ${column}. It has: ${names}.`,
        suggestion: hasIt ? parsed.suggestion : `Add ${column} to the layer, or rename a field.`,
      });
      return null;
    });
    const outline = this.outlineOf(feature, system);
    const [label, zone, priority] = read as [string | null, string | null, number | null];
    if (zone !== null && zone !== EXCLUDED_ZONE && !zones.has(zone)) {
      this.refuseFeature(feature, {
        reason: `No other file has the zone ${zone}.`,
        suggestion: () =>
          didYouMean(zone, zones) ??
          'Add its prices to prices.csv, or write - where you sell nothing.',
      });
      return;
    }
    const first = label === null ? undefined : this.featureOf.get(label);
    if (label !== null && first) {
      this.refuseFeature(feature, {
        reason: `The label is also that of feature ${first.number}.`,
        suggestion: 'Give each polygon its own label, or dissolve the two into one.',
      });
      return;
    }
    if (label === null || zone === null || priority === null || outline === null) return;
    this.featureOf.set(label, feature);
    this.drawn.push({ label, zone, priority, outline });
  }

  private outlineOf(feature: MapFeature, system: MapSystem): string | null {
    const { geometry } = feature;
    const found = faultOfGeometry(geometry) ?? packOutline(geometry!.coordinates!, system);
    if (typeof found === 'string') return found;
    this.refuseFeature(feature, found);
    return null;
  }

  private refuseFeature(feature: MapFeature, wrong: FaultReason): void {
    const { number, line, properties } = feature;
    const [, label = ''] =
      Object.entries(properties).find(([name]) => name.toLowerCase() === 'label') ?? [];
    this.refuse(line, `feature ${number}`, textOf(label), wrong);
  }

  private refuse(line: number, column: string, value: string, wrong: FaultReason): void {
    this.faults.add(FILE, line, column, value, wrong);
  }
}

/** The text of an attribute; of a list or an object, its JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value == null ? '' : JSON.stringify(value);
}

/** A polygon where nothing is sold. */
const EXCLUDED_ZONE = '-';

function faultOfGeometry(geometry: MapFeature['geometry']): MapFault | null {
  if (geometry === null) {
    return {
      reason: 'It has no geometry.',
      suggestion: 'Delete its row in the attribute table, or draw it.',
    };
  }
  const { type, coordinates } = geometry;
  if (coordinates && coordinates.values.length > 0) return null;
  if (coordinates) return NO_OUTLINE;
  if (type === 'Polygon' || type === 'MultiPolygon') {
    return {
      reason: `Its coordinates are not those of a ${type}.`,
      suggestion: 'Export the layer again.',
    };
  }
  return {
    reason: `It is a ${type}, not a Polygon or MultiPolygon.`,
    suggestion:
      type === 'GeometryCollection'
        ? 'Run Vector > Geometry Tools > Multipart to Singleparts in QGIS, and keep the polygons.'
        : 'Draw the area that you serve, for example with Vector > Geoprocessing Tools > Buffer in QGIS.',
  };
}

/** Listed premises that have a position, and no row of their own. */
function premisesToPlace(premises: PremisesIndex): PlacePoints & { readonly uprns: Float64Array } {
  const uprns = new Float64Array(premises.count);
  const columns = [0, 1, 2].map(() => new Uint32Array(premises.count));
  const [keys, eastings, northings] = columns as [Uint32Array, Uint32Array, Uint32Array];
  let row = 0;
  let count = 0;
  for (const { packed, uprn, zoneNumber } of premises.keys()) {
    const position = zoneNumber === NO_ROW ? premises.positionAt(row) : null;
    row += 1;
    if (!position) continue;
    keys[count] = packed;
    eastings[count] = position.easting;
    northings[count] = position.northing;
    uprns[count++] = uprn;
  }
  return { keys: keys.subarray(0, count), eastings, northings, uprns };
}

/** The text of coverage.geojson on the National Grid, in whole centimetres: reading it gives the same polygons. */
export function* printPolygons(rows: readonly PolygonRow[]): Generator<string> {
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::27700' } };
  yield `{"type":"FeatureCollection","crs":${JSON.stringify(crs)},"features":[`;
  for (const [i, { label, zone, priority, outline }] of rows.entries()) {
    const parts = unpackOutline(outline).map((part) =>
      Array.from(ringsOf(part), (ring) =>
        [...ring, ring[0]!].map(([x, y]) => [x / UNITS, y / UNITS]),
      ),
    );
    const geometry =
      parts.length === 1
        ? { type: 'Polygon', coordinates: parts[0] }
        : { type: 'MultiPolygon', coordinates: parts };
    const properties = { label, zone, ...(priority !== 0 && { priority }) };
    yield `${i === 0 ? '' : ','}\n${JSON.stringify({ type: 'Feature', properties, geometry })}`;
  }
  yield '\n]}\n';
}

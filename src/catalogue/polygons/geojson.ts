/** Limits of a file, so that no file fills the memory. */
export const MOST_BYTES = 200_000_000;
export const TOO_LARGE =
  'The file is larger than 200 MB. Export it with 7 decimal places, or simplify the outlines.';
const MOST_VERTICES = 5_000_000;
/** Lists, objects and commas of a vertex with a height and a measure. */
const ELEMENTS_OF_VERTEX = 5;
const MOST_ELEMENTS = ELEMENTS_OF_VERTEX * MOST_VERTICES + 100_000;
/** Of one feature, which is parsed as a whole: that takes 130 bytes a vertex. */
const MOST_IN_FEATURE = 1_000_000;
const MOST_FEATURES = 50_000;
const MOST_LEVELS = 64;

/** What is wrong, and what to do, in sentences. */
export interface MapFault {
  readonly reason: string;
  readonly suggestion: string;
}

/** The coordinates of a Polygon or MultiPolygon. */
export interface Coordinates {
  /** x, y of each vertex. Other dimensions are left out. */
  readonly values: Float64Array;
  /** Where each ring ends, in vertices. */
  readonly ringEnds: readonly number[];
  /** Where each polygon ends, in rings. */
  readonly polygonEnds: readonly number[];
}

export interface MapFeature {
  /** From 1. */
  readonly number: number;
  /** On which it starts. */
  readonly line: number;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Null if it has none. Coordinates that are not those of the type are null. */
  readonly geometry: { readonly type: string; readonly coordinates: Coordinates | null } | null;
}

/** The file is read no further. */
export class MapUnreadable extends Error {
  constructor(
    readonly line: number,
    readonly fault: MapFault,
  ) {
    super(`${fault.reason} ${fault.suggestion}`);
  }
}

const EXPORT = 'Export the layer again as GeoJSON.';
const TOO_MANY_VERTICES: readonly [string, string] = [
  'The file has more than 5,000,000 vertices.',
  'Simplify the outlines: 1 m is enough, since the position of a postcode is the middle of its buildings.',
];
const TOO_MANY_IN_FEATURE: readonly [string, string] = [
  'The feature that starts here has more than 1,000,000 vertices.',
  'Simplify its outline to 1 m, or split it into polygons of the same zone, each with its own label.',
];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEW_LINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Depth of the features in a FeatureCollection. */
const IN_LIST = 2;

/**
 * Reads GeoJSON (RFC 7946): a FeatureCollection, one Feature, or one Feature on each line (also as RFC 8142). Chunks may
 * be cut anywhere. It counts lists, objects and levels before `JSON.parse` reads a feature, and keeps 16 bytes a vertex.
 */
export class GeoJsonReader {
  /** The member `crs` of the file, as people write it; null if there is none. */
  crs: unknown = null;
  private features = 0;
  private vertices = 0;
  /** Whether there is a FeatureCollection; one without features is an empty map. */
  private hasCollection = false;
  private bytes = 0;
  private elements = 0;
  /** Elements before the feature. */
  private elementsBefore = 0;
  private line = 1;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  /** What is around the features of a collection; empty outside one. */
  private root = '';
  /** The depth at which the next feature starts: `IN_LIST` in the list of a collection. */
  private featureDepth = 0;
  /** Where the text starts that is being collected, in the current chunk; negative for none. */
  private from = -1;
  private firstLine = 1;
  /** The text before the current chunk. */
  private held: Buffer[] = [];

  constructor(private readonly onFeature: (feature: MapFeature) => void) {}

  /** @throws {MapUnreadable} */
  push(chunk: Buffer): void {
    const isFirst = this.bytes === 0;
    if ((this.bytes += chunk.length) > MOST_BYTES) this.refuse(...inTwo(TOO_LARGE));
    if (isFirst) this.refuseOther(chunk);
    for (let at = 0; at < chunk.length; at++) {
      const one = chunk[at]!;
      if (one === NEW_LINE) this.line += 1;
      if (this.isInString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (one === BACKSLASH) this.isEscaped = true;
        else if (one === QUOTE) this.isInString = false;
      } else if (one === QUOTE) this.isInString = true;
      else if (one === OPEN || one === OPEN_LIST) this.open(chunk, at, one);
      else if (one === CLOSE || one === CLOSE_LIST) this.close(chunk, at);
      else if (one === COMMA) this.elements += 1;
    }
    if (this.elements > MOST_ELEMENTS) this.refuse(...TOO_MANY_VERTICES);
    if (this.from < 0) return;
    this.limit((this.elements - this.elementsBefore) / ELEMENTS_OF_VERTEX);
    this.held.push(Buffer.from(chunk.subarray(this.from)));
    this.from = 0;
  }

  /** Call once, after all chunks. @throws {MapUnreadable} */
  end(): void {
    if (this.depth !== 0) this.refuse('The file ends in the middle of a feature.', EXPORT);
    if (this.features > 0 || this.hasCollection) return;
    this.refuse('The file has no features.', 'Export a layer of polygons as a FeatureCollection.');
  }

  private open(chunk: Buffer, at: number, one: number): void {
    this.elements += 1;
    if (this.depth === MOST_LEVELS) {
      this.refuse(`The file has lists in lists, more than ${MOST_LEVELS} levels deep.`, EXPORT);
    }
    if (this.depth === this.featureDepth && this.from < 0) {
      this.from = at;
      this.firstLine = this.line;
      this.elementsBefore = this.elements;
    }
    this.depth += 1;
    if (one !== OPEN_LIST || this.depth !== IN_LIST || this.root !== '') return;
    const before = this.take(chunk, at + 1);
    if (/"features"\s*:\s*\[$/.test(before.slice(-99))) {
      this.root = before;
      this.featureDepth = IN_LIST;
      return;
    }
    this.held = [Buffer.from(before)];
    this.from = at + 1;
  }

  private close(chunk: Buffer, at: number): void {
    this.depth -= 1;
    if (this.depth < 0) this.notJson();
    const isListEnd = this.featureDepth === IN_LIST && this.depth === IN_LIST - 1;
    if (isListEnd) {
      this.featureDepth = 0;
      this.from = at;
    } else if (this.depth === this.featureDepth && this.from >= 0) {
      const parsed = this.parse(
        this.root !== '' && this.depth === 0 ? this.root : '',
        chunk,
        at + 1,
      );
      if (this.depth === 0 && this.root !== '') this.endCollection(parsed);
      else this.endFeature(parsed);
    }
  }

  /** The text that was collected, up to a place in the chunk. */
  private take(chunk: Buffer, to: number): string {
    const text = Buffer.concat([...this.held, chunk.subarray(this.from, to)]).toString();
    this.held = [];
    this.from = -1;
    return text;
  }

  private parse(before: string, chunk: Buffer, to: number): Record<string, unknown> {
    const text = before + this.take(chunk, to);
    try {
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      return this.notJson();
    }
  }

  private endCollection({ type, crs }: Record<string, unknown>): void {
    if (type !== 'FeatureCollection') this.refuseRoot({ type });
    this.hasCollection = true;
    this.root = '';
    this.crs = crs ?? null;
  }

  private endFeature(parsed: Record<string, unknown>): void {
    if (parsed.type !== 'Feature') this.refuseRoot(parsed);
    this.features += 1;
    if (this.features > MOST_FEATURES) {
      this.refuse('The file has more than 50,000 features.', 'Dissolve polygons of one zone.');
    }
    const { properties, geometry } = parsed as Record<string, Record<string, unknown> | null>;
    const coordinates = geometry ? coordinatesOf(geometry) : null;
    const vertices = (coordinates?.values.length ?? 0) / 2;
    this.limit(vertices);
    this.vertices += vertices;
    if (this.vertices > MOST_VERTICES) this.refuse(...TOO_MANY_VERTICES);
    this.onFeature({
      number: this.features,
      line: this.firstLine,
      properties: properties ?? {},
      geometry: geometry ? { type: String(geometry.type), coordinates } : null,
    });
  }

  /** @param vertices of one feature, at least @throws {MapUnreadable} */
  private limit(vertices: number): void {
    if (vertices <= MOST_IN_FEATURE) return;
    this.line = this.firstLine;
    this.refuse(...TOO_MANY_IN_FEATURE);
  }

  /** Of a file that is no JSON at all. @throws {MapUnreadable} */
  private refuseOther([first = 0, second = 0]: Buffer): void {
    if (first === 0x3c) {
      this.refuse('The file is XML, such as KML or GML.', convertLine('coverage.kml'));
    }
    if (first >= 0xfe && second >= 0xfe) this.refuse('The file is UTF-16.', 'Save it as UTF-8.');
    if (first === 0x50 && second === 0x4b) {
      this.refuse('The file is a zip.', 'Name it coverage.zip, or unpack it.');
    }
  }

  /** Of an object that is no feature. @throws {MapUnreadable} */
  private refuseRoot(root: Record<string, unknown>): never {
    if ('geometryType' in root || 'attributes' in root) {
      this.refuse(
        'The file is Esri JSON.',
        'In ArcGIS, export with Features To JSON and the option Output to GeoJSON.',
      );
    }
    this.refuse(
      `The file has a ${JSON.stringify(root.type ?? null)} in place of a Feature with a zone and a label.`,
      'Export the layer as a FeatureCollection with the attributes zone and label.',
    );
  }

  private notJson(): never {
    this.refuse('The file is not valid JSON here.', EXPORT);
  }

  private refuse(reason: string, suggestion: string): never {
    throw new MapUnreadable(this.line, { reason, suggestion });
  }
}

function inTwo(sentences: string): [string, string] {
  return sentences.split(/(?<=\.) /) as [string, string];
}

/** Null if they are not those of a Polygon or MultiPolygon. */
function coordinatesOf({ type, coordinates }: Record<string, unknown>): Coordinates | null {
  const polygons =
    type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : null;
  const isList = (value: unknown): value is unknown[] => Array.isArray(value);
  if (!isList(polygons) || !polygons.every(isList)) return null;
  const rings = polygons.flat();
  if (!rings.every(isList)) return null;
  const values = new Float64Array(rings.reduce((sum, { length }) => sum + length * 2, 0));
  let at = 0;
  for (const ring of rings) {
    for (const position of ring) {
      const [x, y] = isList(position) ? position : [];
      if (typeof x !== 'number' || typeof y !== 'number') return null;
      values[at++] = x;
      values[at++] = y;
    }
  }
  const endsOf = (lists: readonly unknown[][]) => {
    let end = 0;
    return lists.map(({ length }) => (end += length));
  };
  return { values, ringEnds: endsOf(rings), polygonEnds: endsOf(polygons) };
}

/** Whether the name is that of a map in another format. A Shapefile has other files beside it. */
export function isOtherMap(name: string): boolean {
  return /^[^.~].*\.(?:shp|kml|kmz|gpkg|gml|tab|mif|fgb|topojson)$/i.test(name);
}

/** For files of another format: the command that converts them. */
export function convertLine(fileName: string): string {
  return `Convert it: ogr2ogr -f GeoJSON -t_srs EPSG:4326 coverage.geojson ${fileName}`;
}

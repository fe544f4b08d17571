import {
  type Coordinates,
  CoordinatesReader,
  EXPORT,
  isWhiteSpace,
  type MapFault,
} from './coordinates.js';

/** Limits of a file, so that no file fills the memory. */
export const MOST_BYTES = 200_000_000;
export const TOO_LARGE =
  'The file is larger than 200 MB. Export it with 7 decimal places, or simplify the outlines.';
const MOST_VERTICES = 5_000_000;
const MOST_FEATURES = 50_000;
/** Of a feature without its coordinates, in bytes. */
const LARGEST_FEATURE = 1_000_000;
const MOST_LEVELS = 64;

/** One feature of the file. */
export interface MapFeature {
  /** From 1. */
  readonly number: number;
  /** On which it starts. */
  readonly line: number;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Null if it has none. */
  readonly geometry: { readonly type: string; readonly coordinates: Coordinates | null } | null;
  /** What is wrong with its coordinates; null if nothing is. */
  readonly fault: MapFault | null;
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const NEW_LINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const ZERO = 0x30;
/** Starts each feature of a GeoJSON text sequence (RFC 8142). */
const RECORD_SEPARATOR = 0x1e;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Reads GeoJSON (RFC 7946): a FeatureCollection, one Feature, or one Feature on each line. Chunks may be cut anywhere.
 * Coordinates go to typed arrays byte by byte; `JSON.parse` reads the rest of each feature. So a file takes 16 bytes a
 * vertex, however it is nested.
 */
export class GeoJsonReader {
  /** The member `crs` of the file, as people write it; null if there is none. */
  crs: unknown = null;
  private features = 0;
  /** Whether there is a FeatureCollection; one without features is an empty map. */
  private hasCollection = false;
  private bytes = 0;
  /** Of the features before. */
  private vertices = 0;
  private line = 1;
  /** Bytes of the features and of what is around them, without coordinates. */
  private text = Buffer.alloc(4_096);
  private length = 0;
  /** For each object or list around the current byte: whether it is an object, and its current key. */
  private readonly around: { readonly isObject: boolean; key: string }[] = [];
  /** In a string: where it starts in `text`. */
  private stringStart = -1;
  private isEscaped = false;
  private lastString: readonly [start: number, end: number] = [0, 0];
  /** In a feature: how deep it is, where its text starts, and its line. */
  private feature: {
    readonly depth: number;
    readonly start: number;
    readonly line: number;
  } | null = null;
  private coordinates: CoordinatesReader | null = null;
  private read: CoordinatesReader | null = null;

  constructor(private readonly onFeature: (feature: MapFeature) => void) {}

  /** @throws {MapUnreadable} */
  push(chunk: Buffer): void {
    const isFirst = this.bytes === 0;
    if ((this.bytes += chunk.length) > MOST_BYTES) {
      const [reason, suggestion] = TOO_LARGE.split(/(?<=\.) /) as [string, string];
      throw this.unreadable(reason, suggestion);
    }
    if (isFirst) this.refuseOther(chunk);
    const start = isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    for (let at = start; at < chunk.length; at++) {
      const one = chunk[at]!;
      if (one === NEW_LINE) this.line += 1;
      if (this.coordinates) this.readCoordinate(one);
      else if (this.stringStart >= 0) this.readString(one);
      else this.readOther(one);
    }
  }

  /** Call once, after all chunks. @throws {MapUnreadable} */
  end(): void {
    if (this.around.length > 0 || this.stringStart >= 0 || this.coordinates) {
      throw this.unreadable('The file ends in the middle of a feature.', EXPORT);
    }
    if (this.features > 0 || this.hasCollection) return;
    throw this.unreadable(
      'The file has no features.',
      'Export a layer of polygons as a GeoJSON FeatureCollection.',
    );
  }

  private unreadable(reason: string, suggestion: string): MapUnreadable {
    return new MapUnreadable(this.line, { reason, suggestion });
  }

  /** Of a file that is no JSON at all. @throws {MapUnreadable} */
  private refuseOther(chunk: Buffer): void {
    const [first = 0, second = 0] = chunk;
    if (first === 0x3c) {
      throw this.unreadable('The file is XML, such as KML or GML.', convertLine('coverage.kml'));
    }
    if (first >= 0xfe && second >= 0xfe) {
      throw this.unreadable('The file is UTF-16.', 'Save it as UTF-8.');
    }
    if (first === 0x50 && second === 0x4b) {
      throw this.unreadable('The file is a zip.', 'Name it coverage.zip, or unpack it.');
    }
  }

  private readString(one: number): void {
    this.put(one);
    if (this.isEscaped) this.isEscaped = false;
    else if (one === BACKSLASH) this.isEscaped = true;
    else if (one === QUOTE) {
      this.lastString = [this.stringStart, this.length];
      this.stringStart = -1;
    }
  }

  private readOther(one: number): void {
    const { around } = this;
    if (isWhiteSpace(one)) return;
    if (one === OPEN || one === OPEN_LIST) {
      this.open(one === OPEN);
    } else if (around.length === 0) {
      if (one !== RECORD_SEPARATOR) throw this.notJson();
    } else if (one === QUOTE) {
      this.stringStart = this.length;
      this.put(one);
    } else if (one === CLOSE || one === CLOSE_LIST) {
      const closed = around.pop();
      if (closed?.isObject !== (one === CLOSE)) throw this.notJson();
      this.put(one);
      if (around.length === this.feature?.depth) this.endFeature();
      else if (around.length === 0) this.endRoot();
    } else if (one === COLON) {
      const [start, end] = this.lastString;
      around.at(-1)!.key = this.text.toString('latin1', start + 1, end - 1);
      this.put(one);
    } else {
      this.put(one);
    }
  }

  private open(isObject: boolean): void {
    const { around } = this;
    if (around.length === MOST_LEVELS) {
      throw this.unreadable(
        `The file has lists in lists, more than ${MOST_LEVELS} levels deep.`,
        EXPORT,
      );
    }
    const path = around.map(({ key }) => key);
    if (!isObject && path.at(-1) === 'coordinates' && path.includes('geometry')) {
      this.coordinates = new CoordinatesReader();
      return;
    }
    const isFeature =
      isObject && (around.length === 0 || (around.length === 2 && path[0] === 'features'));
    if (isFeature) {
      this.feature = { depth: around.length, start: this.length, line: this.line };
      this.read = null;
    }
    around.push({ isObject, key: '' });
    this.put(isObject ? OPEN : OPEN_LIST);
    // The root of a collection looks like a feature until its list of features starts.
    if (!isObject && path.length === 1 && path[0] === 'features') this.feature = null;
  }

  private readCoordinate(one: number): void {
    const reader = this.coordinates!;
    const isEnd = reader.take(one);
    if (this.vertices + reader.vertices > MOST_VERTICES) {
      throw this.unreadable(
        `The file has more than ${MOST_VERTICES.toLocaleString('en-GB')} vertices.`,
        'Simplify the outlines: 1 m is enough, since the position of a postcode is the middle of its buildings.',
      );
    }
    if (isEnd === null) throw this.notJson();
    if (!isEnd) return;
    this.vertices += reader.vertices;
    this.read = reader;
    this.coordinates = null;
    this.put(ZERO);
  }

  private put(one: number): void {
    if (this.length === this.text.length) {
      const start = this.feature?.start ?? 0;
      if (this.length - start > LARGEST_FEATURE) {
        throw this.unreadable(
          'A feature has more than 1 MB of attributes.',
          'Export only the attributes zone, label and priority.',
        );
      }
      this.text = Buffer.concat([this.text, Buffer.alloc(this.length)]);
    }
    this.text[this.length++] = one;
  }

  private endFeature(): void {
    const { start, line } = this.feature!;
    const parsed = this.parse(start);
    this.length = start;
    this.feature = null;
    if (parsed.type !== 'Feature') return this.endOther(parsed, start);
    if (start > 0) this.put(ZERO);
    if (++this.features > MOST_FEATURES) {
      throw this.unreadable(
        `The file has more than ${MOST_FEATURES.toLocaleString('en-GB')} features.`,
        'Dissolve polygons of the same zone into one.',
      );
    }
    const { properties, geometry } = parsed as Record<string, Record<string, unknown> | null>;
    const { read } = this;
    this.read = null;
    this.onFeature({
      number: this.features,
      line,
      properties: properties ?? {},
      geometry:
        geometry == null
          ? null
          : {
              type: String(geometry.type),
              coordinates: geometry.coordinates === 0 && read ? read.coordinates() : null,
            },
      fault: read?.fault ?? null,
    });
  }

  /** An object without features in it. */
  private endOther(parsed: Record<string, unknown>, start: number): void {
    if (start === 0 || 'attributes' in parsed) this.refuseRoot(parsed);
    throw this.unreadable(
      `An element of "features" has the type ${JSON.stringify(parsed.type ?? null)}, which is no Feature.`,
      EXPORT,
    );
  }

  /** Of a collection: what is around its features. */
  private endRoot(): void {
    const root = this.parse(0);
    this.length = 0;
    if (root.type !== 'FeatureCollection') this.refuseRoot(root);
    this.hasCollection = true;
    this.crs = root.crs ?? null;
  }

  private refuseRoot(root: Record<string, unknown>): never {
    if ('geometryType' in root || 'attributes' in root) {
      throw this.unreadable(
        'The file is Esri JSON.',
        'In ArcGIS, export with Features To JSON and the option Output to GeoJSON.',
      );
    }
    if (root.type === 'Topology') {
      throw this.unreadable('The file is TopoJSON.', convertLine('coverage.topojson'));
    }
    if (root.type === 'FeatureCollection') {
      throw this.unreadable('The collection has no list of features.', EXPORT);
    }
    throw this.unreadable(
      `The file is a ${JSON.stringify(root.type ?? null)}, which has no zone and no label.`,
      'Export the layer as a FeatureCollection with the attributes zone and label.',
    );
  }

  private parse(start: number): Record<string, unknown> {
    try {
      return JSON.parse(this.text.toString('utf8', start, this.length)) as Record<string, unknown>;
    } catch {
      throw this.notJson();
    }
  }

  private notJson(): MapUnreadable {
    return this.unreadable('The file is not valid JSON here.', EXPORT);
  }
}

/** Whether the name is that of a map in another format. A Shapefile has other files beside it. */
export function isOtherMap(name: string): boolean {
  return /^[^.~].*\.(?:shp|kml|kmz|gpkg|gml|tab|mif|fgb|topojson)$/i.test(name);
}

/** For files of another format: the command that converts them. */
export function convertLine(fileName: string): string {
  return `Convert it: ogr2ogr -f GeoJSON -t_srs EPSG:4326 coverage.geojson ${fileName}`;
}

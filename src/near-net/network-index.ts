import type { Position } from './positions.js';

/** The side of a cell, in metres. */
const CELL = 1_000;

/** A point of the network, and how far it is from a place as the crow flies. */
export interface NearPoint extends Position {
  readonly zoneNumber: number;
  readonly metres: number;
  /** What the point was added with. */
  readonly row: number;
}

/** Points to be indexed, in columns. */
export class PointColumns {
  count = 0;
  eastings = new Uint32Array(1024);
  northings = new Uint32Array(1024);
  zoneNumbers = new Uint16Array(1024);
  rows = new Uint32Array(1024);

  /** @param row names the point: its postcode's position in the register, or its own in the catalogue */
  add({ easting, northing }: Position, zoneNumber: number, row: number): void {
    if (this.count === this.eastings.length) this.grow();
    this.eastings[this.count] = easting;
    this.northings[this.count] = northing;
    this.rows[this.count] = row;
    this.zoneNumbers[this.count++] = zoneNumber;
  }

  private grow(): void {
    const { eastings, northings, zoneNumbers, rows } = this;
    (this.rows = new Uint32Array(this.count * 2)).set(rows);
    (this.eastings = new Uint32Array(this.count * 2)).set(eastings);
    (this.northings = new Uint32Array(this.count * 2)).set(northings);
    (this.zoneNumbers = new Uint16Array(this.count * 2)).set(zoneNumbers);
  }
}

/** An index as a worker thread hands it over. */
export interface IndexParts {
  readonly west: number;
  readonly south: number;
  readonly columns: number;
  readonly lines: number;
  /** The first point of each cell, and the end of the last one. */
  readonly starts: Uint32Array;
  readonly easts: Uint16Array;
  readonly norths: Uint16Array;
  readonly zoneNumbers: Uint16Array;
  readonly rows: Uint32Array;
}

export function indexParts(points: PointColumns): IndexParts {
  const { count, eastings, northings, zoneNumbers } = points;
  let [west, east, south, north] = count === 0 ? [0, -1, 0, -1] : [Infinity, 0, Infinity, 0];
  for (let i = 0; i < count; i++) {
    west = Math.min(west, eastings[i]!);
    east = Math.max(east, eastings[i]!);
    south = Math.min(south, northings[i]!);
    north = Math.max(north, northings[i]!);
  }
  west -= west % CELL;
  south -= south % CELL;
  const columns = Math.floor((east - west) / CELL) + 1;
  const lines = Math.floor((north - south) / CELL) + 1;
  const cellOf = (i: number) =>
    Math.floor((northings[i]! - south) / CELL) * columns + Math.floor((eastings[i]! - west) / CELL);
  // Counts each cell two places further on, so that filling moves its start to the right place.
  const starts = new Uint32Array(columns * lines + 2);
  for (let i = 0; i < count; i++) starts[cellOf(i) + 2]! += 1;
  for (let cell = 2; cell < starts.length; cell++) starts[cell]! += starts[cell - 1]!;
  const [easts, norths, zones] = [0, 1, 2].map(() => new Uint16Array(count));
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const at = starts[cellOf(i) + 1]!++;
    easts![at] = (eastings[i]! - west) % CELL;
    norths![at] = (northings[i]! - south) % CELL;
    zones![at] = zoneNumbers[i]!;
    rows[at] = points.rows[i]!;
  }
  const offsets = { easts: easts!, norths: norths!, zoneNumbers: zones! };
  return { west, south, columns, lines, starts, rows, ...offsets };
}

/**
 * Finds the nearest point of the network. A grid of square cells over the extent of the points; a point takes ten
 * bytes (its offsets in the cell, zone and row), a cell four.
 */
export class NetworkIndex {
  private readonly west: number;
  private readonly south: number;
  private readonly columns: number;
  private readonly lines: number;
  private readonly starts: Uint32Array;
  private readonly easts: Uint16Array;
  private readonly norths: Uint16Array;
  private readonly zoneNumbers: Uint16Array;
  private readonly rows: Uint32Array;

  constructor(parts: IndexParts) {
    ({
      west: this.west,
      south: this.south,
      columns: this.columns,
      lines: this.lines,
      starts: this.starts,
      easts: this.easts,
      norths: this.norths,
      zoneNumbers: this.zoneNumbers,
      rows: this.rows,
    } = parts);
  }

  get count(): number {
    return this.easts.length;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.starts.byteLength + 10 * this.count;
  }

  /**
   * The nearest point of a zone that counts; of points at the same distance, the one with the lowest zone number.
   * @param reach metres as the crow flies: null if there is none within
   */
  nearest(
    from: Position,
    reach: number,
    counts: (zoneNumber: number) => boolean,
  ): NearPoint | null {
    let [best, bestZone, bestAt, bestCell] = [reach * reach, Infinity, -1, 0];
    const [x, y] = [from.easting - this.west, from.northing - this.south];
    const [column, row] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    const [inX, inY] = [x - column * CELL, y - row * CELL];
    // The distance to the border of the own cell: cells of ring n are further away than n - 1 sides and this.
    const edge = Math.min(inX, inY, CELL - inX, CELL - inY);
    const search = (cellColumn: number, cellRow: number) => {
      const cell = cellRow * this.columns + cellColumn;
      const end = this.starts[cell + 1]!;
      const [left, bottom] = [x - cellColumn * CELL, y - cellRow * CELL];
      const [beside, above] = [outside(left), outside(bottom)];
      if (beside * beside + above * above > best) return;
      for (let at = this.starts[cell]!; at < end; at++) {
        const [dx, dy] = [left - this.easts[at]!, bottom - this.norths[at]!];
        const square = dx * dx + dy * dy;
        if (square > best) continue;
        const zone = this.zoneNumbers[at]!;
        if ((square === best && zone >= bestZone) || !counts(zone)) continue;
        [best, bestZone, bestAt, bestCell] = [square, zone, at, cell];
      }
    };
    const [lastColumn, lastRow] = [this.columns - 1, this.lines - 1];
    for (let ring = 0; ; ring++) {
      const least = ring === 0 ? 0 : (ring - 1) * CELL + edge;
      if (least * least > best || least > reach) break;
      const [fromRow, toRow] = [Math.max(row - ring, 0), Math.min(row + ring, lastRow)];
      for (let r = fromRow; r <= toRow; r++) {
        const isWhole = r === row - ring || r === row + ring;
        const step = isWhole || ring === 0 ? 1 : 2 * ring;
        for (let c = column - ring; c <= column + ring; c += step) {
          if (c >= 0 && c <= lastColumn) search(c, r);
        }
      }
    }
    return bestAt < 0 ? null : this.point(bestAt, bestCell, best);
  }

  /** The points within a reach, nearest first, at most `most`. For drawings: it collects all of them. */
  within(from: Position, reach: number, most: number): NearPoint[] {
    const found: NearPoint[] = [];
    const cells = (value: number, last: number) =>
      [Math.floor((value - reach) / CELL), Math.floor((value + reach) / CELL)].map((cell) =>
        Math.min(Math.max(cell, 0), last),
      ) as [number, number];
    if (this.count === 0) return found;
    const [fromColumn, toColumn] = cells(from.easting - this.west, this.columns - 1);
    const [fromRow, toRow] = cells(from.northing - this.south, this.lines - 1);
    for (let row = fromRow; row <= toRow; row++) {
      for (let column = fromColumn; column <= toColumn; column++) {
        const cell = row * this.columns + column;
        for (let at = this.starts[cell]!; at < this.starts[cell + 1]!; at++) {
          const { easting, northing } = this.point(at, cell, 0);
          const square = (easting - from.easting) ** 2 + (northing - from.northing) ** 2;
          if (square <= reach * reach) found.push(this.point(at, cell, square));
        }
      }
    }
    return found.sort((a, b) => a.metres - b.metres).slice(0, most);
  }

  private point(at: number, cell: number, square: number): NearPoint {
    return {
      easting: this.west + (cell % this.columns) * CELL + this.easts[at]!,
      northing: this.south + Math.floor(cell / this.columns) * CELL + this.norths[at]!,
      zoneNumber: this.zoneNumbers[at]!,
      metres: Math.sqrt(square),
      row: this.rows[at]!,
    };
  }
}

/** How far an offset is outside its cell. */
function outside(offset: number): number {
  return offset < 0 ? -offset : offset > CELL ? offset - CELL : 0;
}

/** Of one number in the file, in bytes. */
const LONGEST_NUMBER = 64;

/** What is wrong, and what to do, in sentences. */
export interface MapFault {
  readonly reason: string;
  readonly suggestion: string;
}

/** The coordinates of a geometry, as nested in the file. */
export interface Coordinates {
  /** x, y of each vertex. Other dimensions are left out. */
  readonly values: Float64Array;
  /** Where each ring ends, in vertices. */
  readonly ringEnds: readonly number[];
  /** Where each polygon ends, in rings. */
  readonly polygonEnds: readonly number[];
  /** Levels of lists around a vertex: 2 for a Polygon, 3 for a MultiPolygon. */
  readonly levels: number;
}

export const EXPORT = 'Export the layer again as GeoJSON.';

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

export function isWhiteSpace(one: number): boolean {
  return one === 0x20 || one === 0x0a || one === 0x0d || one === 0x09;
}

/** One of `0-9+-.eE`. */
function isOfNumber(one: number): boolean {
  const isDigit = one >= 0x30 && one <= 0x39;
  return isDigit || one === 0x2e || one === 0x2d || one === 0x65 || one === 0x45 || one === 0x2b;
}

const TOO_DEEP: MapFault = {
  reason: 'Its coordinates are lists in lists, deeper than those of a MultiPolygon.',
  suggestion: EXPORT,
};
const UNEVEN: MapFault = {
  reason: 'Its coordinates are not lists of rings of positions [x, y].',
  suggestion: EXPORT,
};

/** Levels of lists in the coordinates of a MultiPolygon. */
const DEEPEST = 4;

/** Reads one list of coordinates byte by byte. */
export class CoordinatesReader {
  fault: MapFault | null = null;
  vertices = 0;
  private values = new Float64Array(256);
  private readonly ringEnds: number[] = [];
  private readonly polygonEnds: number[] = [];
  /** Lists around the current byte; the first one has been opened. */
  private depth = 1;
  /** Of the lists with numbers; 0 until the first one. */
  private positionDepth = 0;
  /** Numbers in the current position. */
  private numbers = 0;
  private readonly digits = Buffer.alloc(LONGEST_NUMBER);
  private digitCount = 0;
  /** Whether an element must follow, after a comma, or has ended. */
  private isAfterComma = false;
  private isAfterElement = false;

  /** @returns whether the list has ended; null if the bytes are not JSON */
  take(one: number): boolean | null {
    if (isOfNumber(one)) {
      if (this.isAfterElement && this.digitCount === 0) return null;
      if (this.digitCount === LONGEST_NUMBER) return null;
      this.digits[this.digitCount++] = one;
      this.isAfterComma = false;
      return false;
    }
    if (this.digitCount > 0 && !this.endNumber()) return null;
    if (one === COMMA) {
      if (!this.isAfterElement) return null;
      this.isAfterElement = false;
      this.isAfterComma = true;
      return false;
    }
    if (one === OPEN_LIST) {
      if (this.isAfterElement) return null;
      this.isAfterComma = false;
      this.depth += 1;
      if (this.depth > DEEPEST) this.fault ??= TOO_DEEP;
      if (this.numbers > 0) this.fault ??= UNEVEN;
      return false;
    }
    if (one === CLOSE_LIST) {
      if (this.isAfterComma) return null;
      this.endList();
      this.isAfterElement = true;
      return this.depth === 0;
    }
    return isWhiteSpace(one) ? false : null;
  }

  coordinates(): Coordinates {
    const { ringEnds, polygonEnds } = this;
    const values = this.values.slice(0, this.vertices * 2);
    return { values, ringEnds, polygonEnds, levels: Math.max(0, this.positionDepth - 1) };
  }

  /** A number of at most 15 digits without an exponent, which a division gives exactly; null for another one. */
  private shortNumber(): number | null {
    const { digits, digitCount } = this;
    const start = digits[0] === 0x2d ? 1 : 0;
    if (digitCount - start > 16 || digitCount === start) return null;
    let [value, scale] = [0, 0];
    for (let i = start; i < digitCount; i++) {
      const digit = digits[i]! - 0x30;
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        scale *= 10;
      } else if (digits[i] === 0x2e && scale === 0 && i > start) scale = 1;
      else return null;
    }
    if (value >= 1e15 || scale === 1) return null;
    return (start === 1 ? -value : value) / (scale || 1);
  }

  private endNumber(): boolean {
    const value = this.shortNumber() ?? Number(this.digits.toString('latin1', 0, this.digitCount));
    this.digitCount = 0;
    this.isAfterElement = true;
    if (Number.isNaN(value)) return false;
    this.positionDepth ||= this.depth;
    if (this.depth !== this.positionDepth) this.fault ??= UNEVEN;
    const at = this.vertices * 2 + this.numbers;
    if (this.numbers < 2) {
      if (at >= this.values.length) {
        const grown = new Float64Array(this.values.length * 2);
        grown.set(this.values);
        this.values = grown;
      }
      this.values[at] = value;
    }
    this.numbers += 1;
    return true;
  }

  private endList(): void {
    const { depth, positionDepth } = this;
    if (depth === positionDepth) {
      if (this.numbers < 2) this.fault ??= UNEVEN;
      this.numbers = 0;
      this.vertices += 1;
    } else if (depth === positionDepth - 1) {
      this.ringEnds.push(this.vertices);
    } else if (depth === positionDepth - 2) {
      this.polygonEnds.push(this.ringEnds.length);
    } else if (positionDepth === 0 && depth > 1) {
      // A list without a number before any position.
      this.fault ??= UNEVEN;
    }
    this.depth -= 1;
  }
}

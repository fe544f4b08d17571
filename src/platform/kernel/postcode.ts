/**
 * UK postcodes: parsing, a packed number for each, and the larger places that contain them.
 *
 * Shapes and inward letters: Royal Mail, *Programmers' Guide to PAF*. Its lists of third and fourth
 * letters are not enforced, because real postcodes (`N1P`, `SE1P`) break them.
 *
 * A postcode packs into one number, mixed radix, most significant first: first letter (26), second
 * letter or none (27), digit (10), further digit or letter or none (37), inward digit (10), inward
 * letters (20 × 20). "None" is the lowest, like the space in ASCII, so packed postcodes sort like
 * their canonical strings. Division removes the tail and leaves the key of the containing place.
 */

export type PlaceLevel = 'unit' | 'sector' | 'subdistrict' | 'district' | 'area';

type RefusalReason =
  | 'empty'
  | 'too-long'
  | 'stray-character'
  | 'incomplete'
  | 'outward-shape'
  | 'unknown-area'
  | 'inward-shape'
  | 'misplaced-space'
  | 'sandbox'
  | 'girobank'
  | 'overseas';

/** A place of any level: `name` is canonical, `key` is unique among the places of its level. */
export interface PostcodePlace {
  readonly level: PlaceLevel;
  readonly name: string;
  readonly key: number;
}

/** The 121 geographic areas, the Crown dependencies, and the non-geographic BF (forces) and BX. */
const AREAS = (
  'AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E ' +
  'EC EH EN EX FK FY G GL GU HA HD HG HP HR HS HU HX IG IP IV KA KT KW KY L LA LD LE LL LN LS LU ' +
  'M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP ' +
  'SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE JE GY IM BF BX'
).split(' ');

/** By the part before ` 1ZZ`. Gibraltar's `GX11 1AA` is handled separately. */
const OVERSEAS: Readonly<Record<string, string>> = {
  ASCN: 'Ascension Island',
  BBND: 'the British Indian Ocean Territory',
  BIQQ: 'the British Antarctic Territory',
  FIQQ: 'the Falkland Islands',
  PCRN: 'the Pitcairn Islands',
  SIQQ: 'South Georgia and the South Sandwich Islands',
  STHL: 'Saint Helena',
  TDCU: 'Tristan da Cunha',
  TKCA: 'the Turks and Caicos Islands',
};

/** In UTF-16 code units. Longer texts are refused unread. */
const MAX_LENGTH = 256;

/** A symbol is an index into this: 0 is none, 1 … 10 are digits, 11 … 36 letters. */
const SYMBOLS = ' 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LAST_DIGIT = 10;
const BLANK = 37;
const STRAY = 38;

const SYMBOL_OF_ASCII = new Uint8Array(128).fill(STRAY);
for (const blank of '\t\n\v\f\r ') SYMBOL_OF_ASCII[blank.charCodeAt(0)] = BLANK;
for (let symbol = 1; symbol < SYMBOLS.length; symbol++) {
  SYMBOL_OF_ASCII[SYMBOLS.charCodeAt(symbol)] = symbol;
  SYMBOL_OF_ASCII[SYMBOLS.toLowerCase().charCodeAt(symbol)] = symbol;
}

const INWARD_LETTERS = 'ABDEFGHJLNPQRSTUWXYZ';
/** By symbol: the rank of an inward letter, from 1; 0 for other symbols. */
const INWARD_RANK = Uint8Array.from(SYMBOLS, (char) => INWARD_LETTERS.indexOf(char) + 1);

/**
 * By symbol: what may have been meant, likeliest first. Inward codes have no O or I, so similar letters
 * follow (D is more common than Q).
 */
const LOOK_ALIKES: number[][] = Array.from(SYMBOLS, () => []);
for (const [char, ...others] of '0ODQ O0DQ 1IL I1L L1 2Z Z2 5S S5 8B B8'.split(' ')) {
  LOOK_ALIKES[SYMBOLS.indexOf(char!)] = others.map((other) => SYMBOLS.indexOf(other));
}

const UNITS_PER_SECTOR = 400;
const UNITS_PER_OUTWARD = 4_000;
const UNITS_PER_AREA = 1_480_000;
const OUTWARDS_PER_DISTRICT = 37;
const OUTWARDS_PER_AREA = 370;
const AREA_KEYS = 26 * 27;

const IS_AREA = new Uint8Array(AREA_KEYS);
const AREA_NAMES = new Array<string>(AREA_KEYS).fill('');
for (const name of AREAS) {
  const [first, second] = Array.from(name, (letter) => SYMBOLS.indexOf(letter) - LAST_DIGIT);
  const key = (first! - 1) * 27 + (second ?? 0);
  IS_AREA[key] = 1;
  AREA_NAMES[key] = name;
}

/** No real postcode starts with it; see `parseSandboxPostcode`. */
const SANDBOX_AREA = 25 * 27 + 26;
AREA_NAMES[SANDBOX_AREA] = 'ZZ';

/** What follows the area in an outward code, by outward key modulo area: `0` … `9Z`. */
const OUTWARD_TAILS = Array.from({ length: OUTWARDS_PER_AREA }, (_, tail) => {
  const further = tail % OUTWARDS_PER_DISTRICT;
  return Math.floor(tail / OUTWARDS_PER_DISTRICT) + (further === 0 ? '' : SYMBOLS[further]!);
});

/** What follows the outward code, by packed postcode modulo outward: ` 0AA` … ` 9ZZ`. */
const INWARD_TAILS = Array.from({ length: UNITS_PER_OUTWARD }, (_, tail) => {
  const digit = Math.floor(tail / UNITS_PER_SECTOR);
  return ` ${digit}${INWARD_LETTERS[Math.floor(tail / 20) % 20]}${INWARD_LETTERS[tail % 20]}`;
});

/**
 * The keys of the places that contain a packed postcode, which is not validated. The outward key is the
 * subdistrict's, or the district's if the outward code has no letter suffix.
 */
export const placeKeyOf = {
  sector: (packed: number): number => Math.floor(packed / UNITS_PER_SECTOR),
  outward: (packed: number): number => Math.floor(packed / UNITS_PER_OUTWARD),
  district: (packed: number): number => {
    const outward = Math.floor(packed / UNITS_PER_OUTWARD);
    return hasSuffix(outward) ? outward - (outward % OUTWARDS_PER_DISTRICT) : outward;
  },
  area: (packed: number): number => Math.floor(packed / UNITS_PER_AREA),
};

/** A whole postcode. Equal postcodes have equal packed numbers. */
export class Postcode {
  /** @throws {RangeError} unless the number is a packed postcode */
  constructor(
    /** From 0, below 2³⁰; sorts like `unit`. */
    readonly packed: number,
  ) {
    const area = Math.floor(packed / UNITS_PER_AREA);
    if (!Number.isInteger(packed) || (IS_AREA[area] !== 1 && area !== SANDBOX_AREA)) {
      throw new RangeError('No postcode has this packed number.');
    }
  }

  /** The canonical form, as in `EC2A 2BS`. */
  get unit(): string {
    return unitName(this.packed);
  }

  /** As in `EC2A 2`. */
  get sector(): string {
    return sectorName(placeKeyOf.sector(this.packed));
  }

  /** As in `EC2A`; null without a letter suffix, as in `E14`. */
  get subdistrict(): string | null {
    const outward = placeKeyOf.outward(this.packed);
    return hasSuffix(outward) ? outwardName(outward) : null;
  }

  /** As in `EC2` (for `EC2A`) or `E14`. */
  get district(): string {
    return outwardName(placeKeyOf.district(this.packed));
  }

  /** As in `EC`. */
  get area(): string {
    return areaName(placeKeyOf.area(this.packed));
  }

  /** The part before the space, as in `EC2A` or `E14`. */
  get outward(): string {
    return outwardName(placeKeyOf.outward(this.packed));
  }

  toString(): string {
    return this.unit;
  }
}

/** Why a text is not a postcode, or not a place, for the person who wrote it. */
export class PostcodeRefusal {
  constructor(
    readonly reason: RefusalReason,
    /** What is wrong and what to write instead. Never repeats the input. */
    readonly detail: string,
    /** The likely postcode, in canonical form. */
    readonly suggestion?: string,
  ) {}
}

/**
 * Reads a whole postcode, in any case and with any white space. It need not be in use: new ones appear
 * every week. Never throws.
 */
export function parsePostcode(text: string): Postcode | PostcodeRefusal {
  if (!scan(text)) return refusal('too-long', POSTCODE_ADVICE);
  const packed = stray ? NONE : readUnit();
  if (packed !== NONE) return new Postcode(packed);
  const refused = refusePostcode();
  return parseSandboxPostcode(text) ? refusal('sandbox', POSTCODE_ADVICE) : refused;
}

/**
 * Reads a postcode of the sandbox's area `ZZ`, which `parsePostcode` refuses. Null for any other text.
 * Never throws.
 */
export function parseSandboxPostcode(text: string): Postcode | null {
  const [Z, E] = [SYMBOLS.indexOf('Z'), SYMBOLS.indexOf('E')];
  if (!scan(text) || stray || symbols[0] !== Z || symbols[1] !== Z) return null;
  // Parses it as area ZE, then moves the result to ZZ.
  symbols[1] = E;
  const packed = count < 2 ? NONE : readUnit();
  const between = (Z - E) * UNITS_PER_AREA;
  return packed === NONE ? null : new Postcode(packed + between);
}

/** @throws {RangeError} if the number is not a real packed postcode */
export function unpackPostcode(packed: number): Postcode {
  if (placeKeyOf.area(packed) === SANDBOX_AREA) throw new RangeError('No real postcode.');
  return new Postcode(packed);
}

/**
 * Reads a place of any level: unit `EC2A 2BS`, sector `EC2A 2` (the space distinguishes sector `E1 4`
 * from district `E14`), subdistrict `EC2A`, district `EC2`, area `EC`; in any case, with any white space
 * around it. Never throws.
 */
export function parsePlace(text: string): PostcodePlace | PostcodeRefusal {
  if (!scan(text)) return refusal('too-long', PLACE_ADVICE);
  return (stray ? null : readPlace(gap)) ?? refusePlace();
}

/**
 * The canonical name of a place: the inverse of `parsePlace`.
 * @throws {RangeError} if no place of that level has that key
 */
export function printPlace(level: PlaceLevel, key: number): string {
  const { perArea, name } = LEVELS[level];
  const suffixFits =
    level === 'subdistrict' ? hasSuffix(key) : level !== 'district' || !hasSuffix(key);
  if (!Number.isInteger(key) || IS_AREA[Math.floor(key / perArea)] !== 1 || !suffixFits) {
    throw new RangeError(`No ${level} has this key.`);
  }
  return name(key);
}

const LEVELS: Record<PlaceLevel, { perArea: number; name: (key: number) => string }> = {
  unit: { perArea: UNITS_PER_AREA, name: unitName },
  sector: { perArea: OUTWARDS_PER_AREA * 10, name: sectorName },
  subdistrict: { perArea: OUTWARDS_PER_AREA, name: outwardName },
  district: { perArea: OUTWARDS_PER_AREA, name: outwardName },
  area: { perArea: 1, name: areaName },
};

function hasSuffix(outward: number): boolean {
  return outward % OUTWARDS_PER_DISTRICT > LAST_DIGIT;
}

function areaName(area: number): string {
  return AREA_NAMES[area]!;
}

function outwardName(outward: number): string {
  const area = Math.floor(outward / OUTWARDS_PER_AREA);
  return AREA_NAMES[area]! + OUTWARD_TAILS[outward - area * OUTWARDS_PER_AREA]!;
}

function sectorName(sector: number): string {
  return `${outwardName(Math.floor(sector / 10))} ${sector % 10}`;
}

function unitName(packed: number): string {
  const outward = Math.floor(packed / UNITS_PER_OUTWARD);
  return outwardName(outward) + INWARD_TAILS[packed - outward * UNITS_PER_OUTWARD]!;
}

// The result of `scan`, for the readers below. Parsing is synchronous, so all callers can share it
// without an allocation.
const NONE = -1;
const MAX_SYMBOLS = 7;
const symbols = new Uint8Array(MAX_SYMBOLS);
let count = 0;
/** The number of symbols before the only inner gap; 0 without one, NONE with several. */
let gap = 0;
/** Whether there was another character than letters, digits and white space; it counts as a gap. */
let stray = false;

/** False if the text is too long for a postcode. */
function scan(text: string): boolean {
  count = 0;
  gap = 0;
  stray = false;
  if (text.length > MAX_LENGTH) return false;
  let inGap = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const symbol = code < 128 ? SYMBOL_OF_ASCII[code]! : isBlank(code) ? BLANK : STRAY;
    if (symbol >= BLANK) {
      inGap = true;
      if (symbol === STRAY) stray = true;
      continue;
    }
    if (count === MAX_SYMBOLS) return false;
    if (inGap && count > 0) gap = gap === 0 ? count : NONE;
    inGap = false;
    symbols[count++] = symbol;
  }
  return true;
}

/** White space outside ASCII, and U+200B, which copying often adds. */
function isBlank(code: number): boolean {
  return /[\s\u0085\u200b]/.test(String.fromCharCode(code));
}

/** How many of the first two symbols are letters. */
function areaLength(length: number): number {
  if (length === 0 || symbols[0]! <= LAST_DIGIT) return 0;
  return length > 1 && symbols[1]! > LAST_DIGIT ? 2 : 1;
}

/** The area key of the first one or two symbols, which are letters, or NONE. */
function readArea(length: number): number {
  const second = length > 1 ? symbols[1]! - LAST_DIGIT : 0;
  const area = (symbols[0]! - LAST_DIGIT - 1) * 27 + second;
  return IS_AREA[area] === 1 ? area : NONE;
}

/** The outward key of the first `length` symbols, or NONE. */
function readOutward(length: number): number {
  const digitAt = areaLength(length);
  if (digitAt === 0 || length <= digitAt || length > digitAt + 2) return NONE;
  const area = readArea(digitAt);
  const digit = symbols[digitAt]!;
  if (area === NONE || digit > LAST_DIGIT) return NONE;
  const further = length === digitAt + 2 ? symbols[digitAt + 1]! : 0;
  return area * OUTWARDS_PER_AREA + (digit - 1) * OUTWARDS_PER_DISTRICT + further;
}

/** The packed postcode of all symbols, or NONE. */
function readUnit(): number {
  if (count < 5) return NONE;
  const outward = readOutward(count - 3);
  const digit = symbols[count - 3]!;
  const second = INWARD_RANK[symbols[count - 2]!]!;
  const third = INWARD_RANK[symbols[count - 1]!]!;
  if (outward === NONE || digit > LAST_DIGIT || second === 0 || third === 0) return NONE;
  return (outward * 10 + digit - 1) * UNITS_PER_SECTOR + (second - 1) * 20 + third - 1;
}

/** The place of all symbols, with one inner gap after the first `gapAt`, or null. */
function readPlace(gapAt: number): PostcodePlace | null {
  const isSector = endsAsSector(gapAt);
  if (count >= 5 && !isSector) return place('unit', readUnit());
  if (isSector) {
    const outward = readOutward(count - 1);
    return outward === NONE ? null : place('sector', outward * 10 + symbols[count - 1]! - 1);
  }
  if (count === 0 || gapAt !== 0) return null;
  if (areaLength(count) === count) return place('area', readArea(count));
  const outward = readOutward(count);
  return place(hasSuffix(outward) ? 'subdistrict' : 'district', outward);
}

function endsAsSector(gapAt: number): boolean {
  return gapAt > 0 && gapAt === count - 1 && symbols[gapAt]! <= LAST_DIGIT;
}

function place(level: PlaceLevel, key: number): PostcodePlace | null {
  return key === NONE ? null : { level, name: LEVELS[level].name(key), key };
}

const EXAMPLE = 'EC2A 2BS';
const POSTCODE_ADVICE = `enter a full postcode, such as ${EXAMPLE}.`;
const PLACE_ADVICE = `write a unit (${EXAMPLE}), sector (EC2A 2), subdistrict (EC2A), district (EC2) or area (EC).`;

const FAULTS: Record<Exclude<RefusalReason, 'overseas'>, string> = {
  empty: 'Nothing was given',
  'too-long': 'This is longer than a postcode',
  'stray-character': 'This has something other than letters A to Z, digits and spaces in it',
  incomplete: 'This is too short for a postcode',
  'outward-shape':
    'The first part is not one or two letters, a digit, and at most one more letter or digit',
  'unknown-area': 'The letters at the beginning are not those of a UK postcode area',
  'inward-shape': 'A postcode ends with a digit and two letters (never C, I, K, M, O or V)',
  'misplaced-space':
    'The only space in a place must be before the last digit or the last three characters',
  sandbox: 'Only test tokens can use the postcodes of the sandbox, those at /docs/sandbox',
  girobank: 'GIR 0AA belonged to Girobank and is the postcode of no place',
};

function refusal(
  reason: Exclude<RefusalReason, 'overseas'>,
  advice: string,
  suggestion?: string | null,
): PostcodeRefusal {
  return suggestion
    ? new PostcodeRefusal(reason, `${FAULTS[reason]}. Did you mean ${suggestion}?`, suggestion)
    : new PostcodeRefusal(reason, `${FAULTS[reason]}: ${advice}`);
}

function refusePostcode(): PostcodeRefusal {
  const readName = () => place('unit', readUnit())?.name ?? null;
  if (stray) return refusal('stray-character', POSTCODE_ADVICE, readName());
  if (count === 0) return refusal('empty', POSTCODE_ADVICE);
  const special = refuseSpecial(POSTCODE_ADVICE);
  if (special) return special;
  const suggestion = exchangeOne(readName);
  const whole = count >= 5 && (suggestion !== null || !isCutShort());
  return refusal(whole ? faultOfUnit() : 'incomplete', POSTCODE_ADVICE, suggestion);
}

function refusePlace(): PostcodeRefusal {
  const readName = () => readPlace(gap)?.name ?? null;
  // E 14 is more likely a district than a sector.
  const respaced = (readPlace(0) ?? readPlace(count - 1))?.name ?? null;
  if (stray) return refusal('stray-character', PLACE_ADVICE, readName() ?? respaced);
  if (count === 0) return refusal('empty', PLACE_ADVICE);
  const special = refuseSpecial(PLACE_ADVICE);
  if (special) return special;
  if (respaced) return refusal('misplaced-space', PLACE_ADVICE, respaced);
  const suggestion = exchangeOne(readName);
  if (endsAsSector(gap)) return refusal(faultOfOutward(count - 1), PLACE_ADVICE, suggestion);
  if (count < 5) return refusal(faultOfOutward(count), PLACE_ADVICE, suggestion);
  const whole = suggestion !== null || !isCutShort();
  return refusal(whole ? faultOfUnit() : 'incomplete', PLACE_ADVICE, suggestion);
}

/** Postcodes outside the covered areas. `GIR 0AA` is not a misspelt `G1R 0AA`. */
function refuseSpecial(advice: string): PostcodeRefusal | null {
  const compact = Array.from(symbols.subarray(0, count), (symbol) => SYMBOLS[symbol]).join('');
  if (compact === 'GIR' || compact === 'GIR0AA') return refusal('girobank', advice);
  const territory = compact.startsWith('GX') ? 'Gibraltar' : OVERSEAS[compact.slice(0, 4)];
  if (territory === undefined) return null;
  return new PostcodeRefusal(
    'overseas',
    `This is a postcode of ${territory}, and only the United Kingdom, the Channel Islands and ` +
      `the Isle of Man are covered: ${advice}`,
  );
}

/**
 * The result of `readName` after one symbol is replaced by a look-alike, or null. Prefers the likelier
 * look-alike, then the rightmost replacement. A district that starts with 0, as in `B01`, comes last.
 */
function exchangeOne(readName: () => string | null): string | null {
  let lastResort: string | null = null;
  for (let rank = 0; rank < 3; rank++) {
    for (let at = count - 1; at >= 0; at--) {
      const symbol = symbols[at]!;
      const other = LOOK_ALIKES[symbol]![rank];
      if (other === undefined) continue;
      symbols[at] = other;
      const name = readName();
      symbols[at] = symbol;
      if (name !== null && !/^[A-Z]+0\d/.test(name)) return name;
      lastResort ??= name;
    }
  }
  return lastResort;
}

/** Whether one or two characters are missing at the end. */
function isCutShort(): boolean {
  const isDigit = (at: number) => symbols[at]! <= LAST_DIGIT;
  if (readOutward(count - 1) !== NONE && isDigit(count - 1)) return true;
  return (
    readOutward(count - 2) !== NONE && isDigit(count - 2) && INWARD_RANK[symbols[count - 1]!] !== 0
  );
}

function faultOfUnit(): 'unknown-area' | 'outward-shape' | 'inward-shape' {
  return readOutward(count - 3) === NONE ? faultOfOutward(count - 3) : 'inward-shape';
}

function faultOfOutward(length: number): 'unknown-area' | 'outward-shape' {
  const letters = areaLength(length);
  return letters > 0 && readArea(letters) === NONE ? 'unknown-area' : 'outward-shape';
}

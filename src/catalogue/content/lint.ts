import { addDays } from '../../platform/kernel/time.js';
import { placeKeyOf, printPlace } from '../../platform/kernel/postcode.js';
import { STANDARD } from './cells.js';
import type { CatalogueContent } from './catalogue.js';
import type { SupplierRow } from './cost-fields.js';
import { cellOfConstraints, mayAddCharges } from './zone-fields.js';
import { effectivePrices } from './effective-prices.js';
import type { PriceRow, ProductRow } from './offer-fields.js';
import { namesProduct } from './band-fields.js';
import { idleDiscounts } from './price-list-fields.js';
import { EXCLUDED_NUMBER, FIRST_ZONE_NUMBER, LEVELS, NO_ROW } from './coverage-codec.js';
import { type CoverageIndex, keyAt, UNITS_IN, withPolygons } from './coverage-index.js';
import { printAmount } from '../../platform/kernel/money.js';
import { whole } from '../../platform/kernel/counts.js';

export const lintRules = {
  'redundant-row': 'a row repeats the zone of the larger place around it',
  'inside-excluded': 'a row sells inside a larger place that is excluded',
  'product-without-price': 'a product has no standard price in a zone that covers something',
  'longer-term-dearer': 'the same product costs more a month for a longer term',
  'longer-term-dearer-setup': 'the same product has a dearer set-up for a longer term',
  'setup-on-indicative': 'an indicative price states a set-up price, which a person has to confirm',
  'firm-with-build': 'a price is firm in a zone whose network needs building',
  'firm-with-constraint': 'a price is firm where a survey or a wayleave is needed',
  'sold-where-refused': 'something is sold where the wayleave is refused',
  'more-bandwidth-cheaper': 'a product with more bandwidth costs less',
  'no-lead-time': 'a lead time is 0 days',
  'lead-time-not-kept':
    'orders in a zone took longer than its lead time promises, without the days that waited for the client',
  'book-expires': 'a cost book ends within 14 days, or has ended: its prices are indicative then',
  'zone-without-coverage': 'a zone has prices or a row in zones.csv but covers nothing',
  'idle-discount': 'a row of volume.csv never takes anything off a quote',
  'terminated-postcode': 'a covered postcode is no longer in use (needs the postcode register)',
  'new-postcode':
    'a live postcode without a row is in a sector with covered units (needs the postcode register)',
} as const satisfies Record<string, string>;

export type LintRule = keyof typeof lintRules;

export interface LintWarning {
  readonly rule: LintRule;
  readonly count: number;
  /** The first 20, as text. */
  readonly examples: readonly string[];
}

/** Packed, ascending. */
interface KnownPostcodes {
  readonly live: Uint32Array;
  readonly terminated: Uint32Array;
}

const MOST_EXAMPLES = 20;
/** Days before the end of a cost book. */
const BOOK_WARNING_DAYS = 14;

/** What is unusual in a content, but not a fault. */
export function lintCatalogue(
  content: CatalogueContent,
  register: KnownPostcodes | null,
  off: readonly LintRule[] = [],
  today: string | null = null,
): LintWarning[] {
  const findings = new Findings(off);
  lintContent(content, register, findings);
  lintBooks(content, today, findings);
  return findings.warnings();
}

/** The warnings about `after` that `before` does not have. */
export function newWarnings(
  before: CatalogueContent,
  after: CatalogueContent,
  register: KnownPostcodes | null,
  off: readonly LintRule[] = [],
  today: string | null = null,
): LintWarning[] {
  const known = new Set<string>();
  const collected = new Findings(off, (key) => known.add(key).size < 0);
  lintContent(before, register, collected);
  lintBooks(before, today, collected);
  const findings = new Findings(off, (key) => !known.has(key));
  lintContent(after, register, findings);
  lintBooks(after, today, findings);
  return findings.warnings();
}

function lintContent(
  content: CatalogueContent,
  register: KnownPostcodes | null,
  findings: Findings,
): void {
  lintRows(content.coverage, findings);
  lintPrices(content, findings);
  lintVolume(content, findings);
  if (register) lintByRegister(content, register, findings);
}

/** @param today in London */
function lintBooks(
  { suppliers }: CatalogueContent,
  today: string | null,
  findings: Findings,
): void {
  if (today === null) return;
  for (const { supplier, label, validUntil } of endingBooks(suppliers, today)) {
    findings.add('book-expires', () => `${label} (${supplier}), last day ${validUntil}`);
  }
}

/** The cost books that end soon, or have ended. @param today in London */
export function endingBooks(suppliers: readonly SupplierRow[], today: string): SupplierRow[] {
  const soon = addDays(today, BOOK_WARNING_DAYS);
  return suppliers.filter(({ validUntil }) => validUntil <= soon);
}

class Findings {
  private readonly found = new Map<LintRule, { count: number; examples: string[] }>();

  /** @param counts whether a finding counts, by its key */
  constructor(
    private readonly off: readonly LintRule[],
    private readonly counts?: (key: string) => boolean,
  ) {}

  /** @param identify a text that stays the same while the finding does; by default what is said */
  add(rule: LintRule, say: () => string, identify = say): void {
    if (this.off.includes(rule)) return;
    if (this.counts && !this.counts(`${rule} ${identify()}`)) return;
    let finding = this.found.get(rule);
    if (!finding) this.found.set(rule, (finding = { count: 0, examples: [] }));
    finding.count++;
    if (finding.examples.length < MOST_EXAMPLES) finding.examples.push(say());
  }

  warnings(): LintWarning[] {
    return (Object.keys(lintRules) as LintRule[]).flatMap((rule) => {
      const finding = this.found.get(rule);
      return finding ? [{ rule, ...finding }] : [];
    });
  }
}

function lintRows(coverage: CoverageIndex, findings: Findings): void {
  for (const level of LEVELS.slice(0, -1).reverse()) {
    const { keys, zoneNumbers } = coverage.coverage.levels[level];
    const larger = LEVELS[LEVELS.indexOf(level) + 1]!;
    let around = NO_ROW;
    let lastParent = -1;
    for (const [i, key] of keys.entries()) {
      const number = zoneNumbers[i]!;
      const parent = keyAt[larger](key * UNITS_IN[level]);
      if (parent !== lastParent) {
        lastParent = parent;
        around = coverage.zoneNumberOfPlace(larger, parent);
      }
      const row = () => `${level} ${printPlace(level, key)}: ${coverage.zoneName(number)}`;
      if (number === around) {
        findings.add('redundant-row', () => `${row()}, like the larger place around it`);
      } else if (around === EXCLUDED_NUMBER && number >= FIRST_ZONE_NUMBER) {
        findings.add('inside-excluded', () => `${row()}, though the place around it is excluded`);
      }
    }
  }
}

function lintPrices(content: CatalogueContent, findings: Findings): void {
  const { products } = content;
  const covered = new Set(withPolygons(content).coverage.zones);
  const bare = new Set<string>();
  const standard = new Set<string>();
  const byCode = new Map(products.map((row) => [row.code, row]));
  const priced: Priced[] = [];
  for (const { zone } of [...content.prices, ...content.zones]) {
    if (covered.has(zone) || bare.has(zone)) continue;
    bare.add(zone);
    findings.add('zone-without-coverage', () => zone);
  }
  const withBuild = new Set(
    content.zones.flatMap(({ zone, network }) => (network?.endsWith('WithBuild') ? zone : [])),
  );
  const constraints = new Map(content.zones.map((row) => [row.zone, row.constraints]));
  const sold = new Map<string, boolean>();
  for (const price of effectivePrices(content)) {
    const { productCode, zone, priceList, leadTimeDays, basis, setupMinor } = price;
    const isFirm = basis === 'firm' && price.extraCharges !== true;
    const here = () => `${productCode} in ${zone} (${priceList})`;
    lintConstraints(constraints.get(zone) ?? '', isFirm, here, findings);
    sold.set(zone, isFirm || (sold.get(zone) ?? false));
    if (priceList === STANDARD) standard.add(`${productCode} ${zone}`);
    if (basis === 'firm' && withBuild.has(zone)) {
      findings.add('firm-with-build', here);
    }
    if (leadTimeDays === 0) {
      findings.add('no-lead-time', here);
    }
    if (basis === 'indicative' && setupMinor !== null) {
      findings.add('setup-on-indicative', here);
    }
    const product = byCode.get(productCode);
    if (product) priced.push({ product, price });
  }
  for (const zone of covered) {
    for (const { code } of products) {
      if (standard.has(`${code} ${zone}`)) continue;
      findings.add('product-without-price', () => `${code} in ${zone}`);
    }
  }
  lintPremises(content, sold, findings);
  const sheets = Map.groupBy(
    priced,
    ({ product: { name }, price: { zone, priceList, currency } }) =>
      `${zone} ${priceList} ${currency} ${familyOf(name)}`,
  );
  for (const rows of sheets.values()) lintSheet(rows, findings);
}

/** @param codes as in a cell @param isFirm whether some price there is, without extra charges */
function lintConstraints(
  codes: string,
  isFirm: boolean,
  here: () => string,
  findings: Findings,
): void {
  const [known, words] = [codes.split('|'), () => `${here()}: ${codes}`];
  if (known.includes('wayleaveRefused')) findings.add('sold-where-refused', words);
  else if (isFirm && known.some(mayAddCharges)) findings.add('firm-with-constraint', words);
}

/** Premises with constraints of their own. @param sold by zone: whether some price is firm */
function lintPremises(
  { coverage, premises }: CatalogueContent,
  sold: ReadonlyMap<string, boolean>,
  findings: Findings,
): void {
  if (!premises.areConstrained) return;
  let row = 0;
  for (const key of premises.keys()) {
    const bits = premises.constraintsAt(row++);
    const zone = bits === 0 ? null : coverage.zoneName(coverage.zoneNumberOfPremises(key));
    const isFirm = zone === null ? undefined : sold.get(zone);
    if (isFirm === undefined) continue;
    const { uprn, packed } = key;
    const here = `premises ${uprn} (${printPlace('unit', packed)}) in ${zone}`;
    lintConstraints(cellOfConstraints(bits), isFirm, () => here, findings);
  }
}

/** Groups products whose names differ only in bandwidth: only they are compared. */
function familyOf(name: string): string {
  return name.replaceAll(/\d+(?:\.\d+)?\s*[kMGT]?(?:bit\/s|bps|b)?(?![A-Za-z])/gi, '#');
}

function lintSheet(rows: readonly Priced[], findings: Findings): void {
  for (const a of rows) {
    for (const b of rows) {
      const isLonger =
        a.product.bandwidthProvisionedMbps === b.product.bandwidthProvisionedMbps &&
        a.product.bandwidthCapacityMbps === b.product.bandwidthCapacityMbps &&
        a.product.termMonths > b.product.termMonths;
      const pair = () =>
        [a.product.code, b.product.code, a.price.zone, a.price.priceList].join(' ');
      const [setup, otherSetup] = [a.price.setupMinor, b.price.setupMinor];
      if (isLonger && setup !== null && otherSetup !== null && setup > otherSetup) {
        findings.add('longer-term-dearer-setup', () => dearer(a, b, setup, otherSetup), pair);
      }
      if (a.price.amountMinor <= b.price.amountMinor) continue;
      if (isLonger) findings.add('longer-term-dearer', () => dearer(a, b), pair);
      const less =
        a.product.termMonths === b.product.termMonths &&
        a.product.bandwidthProvisionedMbps < b.product.bandwidthProvisionedMbps &&
        a.product.bandwidthCapacityMbps <= b.product.bandwidthCapacityMbps;
      if (less) findings.add('more-bandwidth-cheaper', () => dearer(a, b), pair);
    }
  }
}

type Priced = { readonly product: ProductRow; readonly price: PriceRow };

/** @param amounts in minor units; the monthly prices by default */
function dearer(a: Priced, b: Priced, ...amounts: number[]): string {
  const [more = a.price.amountMinor, less = b.price.amountMinor] = amounts;
  const { zone, priceList, currency } = a.price;
  return `${a.product.code} costs ${printAmount(more, currency)}, ${b.product.code} only ${printAmount(less, currency)} in ${zone} (${priceList})`;
}

function lintVolume({ volume, products }: CatalogueContent, findings: Findings): void {
  const idle = new Set(idleDiscounts(volume));
  for (const row of volume) {
    const isSold = products.some(({ code }) => namesProduct(row.products, code));
    if (isSold && !idle.has(row)) continue;
    const why = isSold
      ? 'another row gives as much for no more lines'
      : 'no product has such a code';
    const { priceList, fromLines, percent } = row;
    findings.add(
      'idle-discount',
      () => `${row.products} from ${fromLines} lines (${priceList}), ${percent} %: ${why}`,
    );
  }
}

function lintByRegister(
  content: CatalogueContent,
  { live, terminated }: KnownPostcodes,
  findings: Findings,
): void {
  const { keys, zoneNumbers } = content.coverage.coverage.levels.unit;
  const { coverage } = withPolygons(content);
  const coveredSectors = new Set<number>();
  let gone = 0;
  for (const [i, key] of keys.entries()) {
    if (zoneNumbers[i]! < FIRST_ZONE_NUMBER) continue;
    coveredSectors.add(placeKeyOf.sector(key));
    while (gone < terminated.length && terminated[gone]! < key) gone++;
    if (terminated[gone] === key) {
      findings.add('terminated-postcode', () => printPlace('unit', key));
    }
  }
  let at = 0;
  for (const key of live) {
    while (at < keys.length && keys[at]! < key) at++;
    if (keys[at] === key || !coveredSectors.has(placeKeyOf.sector(key))) continue;
    if (coverage.zoneNumberAt(key) === NO_ROW) {
      findings.add('new-postcode', () => printPlace('unit', key));
    }
  }
}

/** The warnings as text, with at most `most` examples of each rule. */
export function lintInWords(warnings: readonly LintWarning[], most = 5): string {
  const lines = warnings.flatMap(({ rule, count, examples }) => [
    `${rule} (${whole(count)}): ${lintRules[rule]}.`,
    ...examples.slice(0, most).map((example) => `  ${example}`),
    ...(count > most ? [`  … and ${whole(count - most)} more`] : []),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

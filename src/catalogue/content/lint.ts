import { placeKeyOf, printPlace } from '../../kernel/postcode.js';
import { STANDARD } from './cells.js';
import type { CatalogueContent } from './catalogue.js';
import type { PriceRow, ProductRow } from './offer-fields.js';
import { EXCLUDED_NUMBER, FIRST_ZONE_NUMBER, LEVELS, NO_ROW } from './coverage-codec.js';
import { type CoverageIndex, keyAt, UNITS_IN } from './coverage-index.js';
import { printAmount } from './money.js';

/** Each rule with what it finds. */
export const lintRules = {
  'redundant-row': 'a row says the same as the row of the larger place around it',
  'inside-excluded': 'a row sells inside a larger place that is excluded',
  'product-without-price': 'a product has no standard price in a zone that covers something',
  'longer-term-dearer': 'the same product costs more a month for a longer term',
  'more-bandwidth-cheaper': 'more bandwidth costs less than less of it',
  'no-lead-time': 'a lead time is 0 days',
  'zone-without-coverage': 'a zone has prices but covers nothing',
  'terminated-postcode': 'a covered postcode is no longer in use (needs the postcode register)',
  'new-postcode':
    'a live postcode without a row lies in a sector whose other units are covered (needs the register)',
} as const satisfies Record<string, string>;

export type LintRule = keyof typeof lintRules;

/** All that one rule found. */
export interface LintWarning {
  readonly rule: LintRule;
  readonly count: number;
  /** The first of them, in words. */
  readonly examples: readonly string[];
}

/** The postcodes in use and those that no longer are: packed, ascending. */
export interface KnownPostcodes {
  readonly live: Uint32Array;
  readonly terminated: Uint32Array;
}

const MOST_EXAMPLES = 20;

/** What is odd about a content, but no fault. */
export function lintCatalogue(
  content: CatalogueContent,
  register: KnownPostcodes | null,
  off: readonly LintRule[] = [],
): LintWarning[] {
  const findings = new Findings(off);
  lintRows(content.coverage, findings);
  lintPrices(content, findings);
  if (register) lintByRegister(content.coverage, register, findings);
  return findings.warnings();
}

class Findings {
  private readonly found = new Map<LintRule, { count: number; examples: string[] }>();

  constructor(private readonly off: readonly LintRule[]) {}

  add(rule: LintRule, say: () => string): void {
    if (this.off.includes(rule)) return;
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
        findings.add('redundant-row', () => `${row()}, as the larger place around it`);
      } else if (around === EXCLUDED_NUMBER && number >= FIRST_ZONE_NUMBER) {
        findings.add('inside-excluded', () => `${row()}, though the place around it is excluded`);
      }
    }
  }
}

function lintPrices({ products, prices, coverage }: CatalogueContent, findings: Findings): void {
  const covered = new Set(coverage.zones);
  const bare = new Set<string>();
  const standard = new Set<string>();
  const byCode = new Map(products.map((row) => [row.code, row]));
  const priced: Priced[] = [];
  for (const price of prices) {
    const { productCode, zone, priceList, leadTimeDays } = price;
    if (!covered.has(zone) && !bare.has(zone)) {
      bare.add(zone);
      findings.add('zone-without-coverage', () => zone);
    }
    if (priceList === STANDARD) standard.add(`${productCode} ${zone}`);
    if (leadTimeDays === 0) {
      findings.add('no-lead-time', () => `${productCode} in ${zone} (${priceList})`);
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
  const sheets = Map.groupBy(
    priced,
    ({ product: { name }, price: { zone, priceList, currency } }) =>
      `${zone} ${priceList} ${currency} ${familyOf(name)}`,
  );
  for (const rows of sheets.values()) lintSheet(rows, findings);
}

/** Products are compared within one service: names that differ only in their bandwidths. */
function familyOf(name: string): string {
  return name.replaceAll(/\d+(?:\.\d+)?\s*[kMGT]?(?:bit\/s|bps|b)?(?![A-Za-z])/gi, '#');
}

function lintSheet(rows: readonly Priced[], findings: Findings): void {
  for (const a of rows) {
    for (const b of rows) {
      if (a.price.amountMinor <= b.price.amountMinor) continue;
      const sameLine =
        a.product.bandwidthProvisionedMbps === b.product.bandwidthProvisionedMbps &&
        a.product.bandwidthCapacityMbps === b.product.bandwidthCapacityMbps;
      if (sameLine && a.product.termMonths > b.product.termMonths) {
        findings.add('longer-term-dearer', () => dearer(a, b));
      }
      const less =
        a.product.termMonths === b.product.termMonths &&
        a.product.bandwidthProvisionedMbps < b.product.bandwidthProvisionedMbps &&
        a.product.bandwidthCapacityMbps <= b.product.bandwidthCapacityMbps;
      if (less) findings.add('more-bandwidth-cheaper', () => dearer(a, b));
    }
  }
}

type Priced = { readonly product: ProductRow; readonly price: PriceRow };

function dearer(a: Priced, b: Priced): string {
  const sum = ({ price }: Priced) => printAmount(price.amountMinor, price.currency);
  const { zone, priceList } = a.price;
  return `${a.product.code} costs ${sum(a)}, ${b.product.code} only ${sum(b)} in ${zone} (${priceList})`;
}

function lintByRegister(
  coverage: CoverageIndex,
  { live, terminated }: KnownPostcodes,
  findings: Findings,
): void {
  const { keys, zoneNumbers } = coverage.coverage.levels.unit;
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

/** The warnings as lines of text, each rule with its first examples. */
export function lintInWords(warnings: readonly LintWarning[], most = 5): string {
  const lines = warnings.flatMap(({ rule, count, examples }) => [
    `${rule} (${count.toLocaleString('en-GB')}): ${lintRules[rule]}.`,
    ...examples.slice(0, most).map((example) => `  ${example}`),
    ...(count > most ? [`  … and ${(count - most).toLocaleString('en-GB')} more`] : []),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

import { describe, expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { Catalogue } from '../../catalogue/content/catalogue.js';
import type { CatalogueFile } from '../../catalogue/content/catalogue-files.js';
import { effectiveOf } from '../../catalogue/content/cost-books.js';
import { parseCatalogueFiles } from '../../catalogue/content/files/csv-reader.js';
import { offeredProduct } from '../../catalogue/content/offers.js';
import {
  sandboxCatalogue,
  sandboxCatalogueAtOrder,
} from '../../catalogue/sandbox/sandbox-catalogue.js';
import {
  NO_CLIENT,
  ShownCatalogue,
  type ShownCaller,
  type ShownPlace,
} from '../../catalogue/shown/shown.service.js';
import { SANDBOX_UPRNS } from '../../platform/kernel/sandbox-postcodes.js';
import { postcodeFor } from '../../platform/problems/postcode.errors.js';
import { Problem } from '../../platform/problems/problem.js';
import { decideTerms, type TermsQuestion } from './terms.service.js';

const GIG = 'INT-1G-12';
const PRICE = `${GIG},ONNET,standard,550,GBP,84`;
const untilNovember = `${PRICE},,,,,2026-11-30`;
const NOVEMBER = '2026-11-30T23:59:00Z';
const DECEMBER = '2026-12-01T00:01:00Z';

type Rows = Partial<Record<CatalogueFile, readonly string[]>>;

const filesWith = (rows: Rows) =>
  givenFiles({ prices: [PRICE], coverage: ['EC2A 2BS,ONNET', 'EC2A 2BT,OTHER'], ...rows });
const given = (version: number, rows: Rows = {}) =>
  new Catalogue(version, contentOf(filesWith(rows)));

/** With a supplier whose cost of the product is as given. */
function suppliedAt(version: number, cost: number): Catalogue {
  const costs = 'product,zone,cost,setup_cost,currency,lead_time_days,basis\n';
  const pxc = {
    suppliers: 'supplier,label,valid_until\npxc,PXC,2027-03-31\n',
    costs: `${costs}${GIG},CITY,${cost},,GBP,40,firm\n`,
    supplierPlaces: 'place,zone\nN1 1AA,CITY\n',
  };
  const margins = ['*,*,,25,,,'];
  const { content } = parseCatalogueFiles(filesWith({ margins }), { pxc });
  return new Catalogue(version, effectiveOf(content!));
}

interface At {
  readonly postcode?: string;
  readonly uprn?: number;
  readonly at?: string;
  readonly caller?: Partial<ShownCaller>;
}

function shown(catalogue: Catalogue, place: At = {}): ShownPlace {
  const { postcode = 'EC2A 2BS', uprn = null, at = DECEMBER } = place;
  const caller = { ...NO_CLIENT, kind: 'client', ...place.caller } as const;
  return new ShownCatalogue(caller, new Date(at), catalogue, catalogue, 'staff', null).at({
    postcode: postcodeFor(postcode, { isTest: true }),
    uprn,
  });
}

const checkOf = (place: ShownPlace, holds = false) => ({ checkId: 'C', place, holds });

/** `550 of version 1 by C`, or the problem and what it says of the current price. */
function decided(question: Omit<TermsQuestion, 'productCode'>, productCode = GIG): string {
  try {
    const { offer, ...about } = decideTerms({ productCode, ...question });
    const by = about.checkId === null ? '' : ` by ${about.checkId}`;
    const near = about.nearest === null ? '' : ` at ${about.nearest.distanceMetres} m`;
    return `${offer.price} of version ${about.catalogueVersion}${by}${near}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { current } = error.members as { current?: { price: number } | null };
    return `${error.code}${current === undefined ? '' : `, now ${current?.price ?? 'none'}`}`;
  }
}

const same = given(2);
const dearer = given(2, { prices: [`${GIG},ONNET,standard,600,GBP,84`] });
const slower = given(2, { prices: [`${GIG},ONNET,standard,550,GBP,90`] });
const unsold = given(2, { prices: [`${GIG},OTHER,standard,550,GBP,84`] });
const moved = given(2, { coverage: ['EC2A 2BS,OTHER'] });
const priced = shown(given(1));
const at = (catalogue: Catalogue, place?: At) => ({ current: shown(catalogue, place) });

describe('without a check, the terms', () => {
  it.each([
    ['are those of today', at(same), '550 of version 2'],
    [
      'are those of the price list',
      at(given(1, { prices: [PRICE, `${GIG},ONNET,gold,500,GBP,84`] }), {
        caller: { priceList: 'gold' },
      }),
      '500 of version 1',
    ],
    ['are refused where the place has other products', at(moved), 'product-not-available'],
    ['are refused where nothing is sold', at(unsold), 'product-not-available'],
    [
      'start on the first day of sale',
      at(given(1, { prices: [`${PRICE},,,,2026-12-01,`] })),
      '550 of version 1',
    ],
    [
      'end on the last day of sale',
      at(given(1, { prices: [untilNovember] })),
      'product-not-available',
    ],
  ])('%s', (_case, question, expected) => {
    expect(decided(question)).toBe(expected);
  });

  it('are refused for a product that does not exist', () => {
    expect(decided(at(same), 'NONE')).toBe('unknown-product');
  });
});

describe('with a check, the terms', () => {
  const held = { check: checkOf(priced, true) };
  const late = { check: checkOf(priced) };
  const ofNothing = { check: checkOf(shown(unsold), true) };
  const lastDay = shown(given(1, { prices: [untilNovember] }), { at: NOVEMBER });

  it.each([
    ['are held: the price has changed', { ...held, ...at(dearer) }, '550 of version 1 by C'],
    ['are held: the product is withdrawn', { ...held, ...at(unsold) }, '550 of version 1 by C'],
    ['are held: the place is in another zone', { ...held, ...at(moved) }, '550 of version 1 by C'],
    [
      'are held: the last day is over',
      { check: checkOf(lastDay, true), current: shown(lastDay.catalogue) },
      '550 of version 1 by C',
    ],
    ['are current ones, if they are the same', { ...late, ...at(same) }, '550 of version 2 by C'],
    ['are refused: the price has changed', { ...late, ...at(dearer) }, 'offer-changed, now 600'],
    [
      'are refused: the lead time has changed',
      { ...late, ...at(slower) },
      'offer-changed, now 550',
    ],
    [
      'are refused: the product is withdrawn',
      { ...late, ...at(unsold) },
      'offer-changed, now none',
    ],
    [
      'are refused: the last day is over',
      { check: checkOf(lastDay), current: shown(lastDay.catalogue) },
      'offer-changed, now none',
    ],
    [
      'are current ones, if the check did not offer it',
      { ...ofNothing, ...at(same) },
      '550 of version 2 by C',
    ],
    ['are refused, if neither does', { ...ofNothing, ...at(unsold) }, 'product-not-available'],
  ])('%s', (_case, question, expected) => {
    expect(decided(question)).toBe(expected);
  });

  it.each([
    ['postcode', priced],
    ['other premises', shown(given(1, { premises: ['70,EC2A 2BS,Mill,ONNET'] }), { uprn: 70 })],
  ])('do not apply to premises in another zone: %s', (_case, place) => {
    const premises = ['70,EC2A 2BS,Mill,ONNET', '71,EC2A 2BS,Loft,OTHER'];
    const quoted = shown(given(1, { premises }), { uprn: place.uprn ?? undefined });
    const current = shown(given(2, { premises }), { uprn: 71 });
    expect(decided({ check: checkOf(quoted, true), current })).toBe('unknown-check');
  });

  it('apply to premises that the operator does not list', () => {
    const current = shown(same, { uprn: 72 });
    expect(decided({ check: checkOf(priced, true), current })).toBe('550 of version 1 by C');
  });
});

describe('of a supplier, the terms', () => {
  const place = { postcode: 'N1 1AA' };
  const quoted = shown(suppliedAt(1, 100), place);

  it.each([
    ['are held', suppliedAt(2, 200), true, '125 of version 1 by C'],
    ['change with its cost', suppliedAt(2, 200), false, 'offer-changed, now 250'],
    ['are the same at the same cost', suppliedAt(2, 100), false, '125 of version 2 by C'],
  ])('%s', (_case, catalogue, holds, expected) => {
    expect(decided({ check: checkOf(quoted, holds), ...at(catalogue, place) })).toBe(expected);
  });
});

describe('by distance, the terms', () => {
  const place = { postcode: 'ZZ99 1BF' };
  const [earlier, live] = [1, 2].map((version) => {
    const catalogue = new Catalogue(version, sandboxCatalogue.content);
    catalogue.network = sandboxCatalogue.network;
    return catalogue;
  }) as [Catalogue, Catalogue];
  const seen = { kind: 'telephone', nearNet: 'staff' } as const;
  const quoted = shown(earlier, { ...place, caller: seen });

  it.each([
    ['client', 'all', '550 of version 2 at 350 m'],
    ['client', 'staff', 'product-not-available'],
    ['client', 'default', 'product-not-available'],
    ['client', 'off', 'product-not-available'],
    ['telephone', 'all', '550 of version 2 at 350 m'],
    ['telephone', 'staff', '550 of version 2 at 350 m'],
    ['telephone', 'default', '550 of version 2 at 350 m'],
    ['telephone', 'off', 'product-not-available'],
  ] as const)('are shown to a caller (%s) by its setting: %s', (kind, nearNet, expected) => {
    const question = at(live, { ...place, caller: { kind, nearNet } });
    expect(decided(question, 'TEST-1G-12')).toBe(expected);
  });

  it.each([
    [true, { kind: 'client', nearNet: 'off' }, '550 of version 1 by C at 350 m'],
    [false, seen, '550 of version 2 by C at 350 m'],
    [false, { kind: 'client', nearNet: 'off' }, 'offer-changed, now none'],
  ] as const)('of a check, held: %s, for %j', (holds, caller, expected) => {
    const question = { check: checkOf(quoted, holds), ...at(live, { ...place, caller }) };
    expect(decided(question, 'TEST-1G-12')).toBe(expected);
  });
});

describe('in the sandbox, the terms', () => {
  const place = { postcode: 'ZZ99 1AH', caller: { isTest: true } };
  const quoted = shown(sandboxCatalogue, place);
  const current = shown(sandboxCatalogueAtOrder, place);

  it('change between the check and the order at one postcode', () => {
    const decide = (question: Omit<TermsQuestion, 'productCode'>) =>
      decided(question, 'TEST-1G-12');
    expect(decide({ current })).toBe('577.5 of version 0');
    expect(decide({ check: checkOf(quoted), current })).toBe('offer-changed, now 577.5');
  });

  it('are those of the premises', () => {
    const { firm, excluded } = SANDBOX_UPRNS;
    const answers = [firm, excluded].map((uprn) =>
      decided(at(sandboxCatalogueAtOrder, { postcode: 'ZZ99 1AP', uprn }), 'TEST-1G-12'),
    );
    expect(answers).toEqual(['550 of version 0', 'product-not-available']);
  });
});

describe("of a quote's line, the terms", () => {
  const line = offeredProduct(priced.offer(GIG)!);
  const cheaper = { ...line, price: 495 };

  it.each([
    ['are current ones, if they are the same', { line }, '550 of version 2'],
    [
      'are current ones with the same volume discount',
      { line: cheaper, percent: 10 },
      '495 of version 2',
    ],
    [
      'are refused with a smaller volume discount',
      { line: cheaper, percent: 5 },
      'offer-changed, now 522.5',
    ],
    ['are refused without the volume discount', { line: cheaper }, 'offer-changed, now 550'],
  ])('%s', (_case, quoted, expected) => {
    expect(decided({ ...at(same), ...quoted })).toBe(expected);
  });

  it('are refused, if the product is withdrawn', () => {
    expect(decided({ ...at(unsold), line })).toBe('offer-changed, now none');
  });
});

/**
 * Postcodes that exist only for test tokens. Each simulates a case that is rare with real postcodes.
 */
import { parseSandboxPostcode, type Postcode } from './postcode.js';

export type SandboxCase =
  | 'products'
  | 'nothing'
  | 'excluded'
  | 'slow'
  | 'unavailable'
  | 'limited'
  | 'price-change'
  | 'survey'
  | 'indicative'
  | 'planned'
  | 'premises'
  | 'charge'
  | 'unable'
  | 'offered'
  | 'offer-expired'
  | 'first-band'
  | 'second-band'
  | 'last-band'
  | 'beyond-bands';

export interface SandboxPostcode {
  /** Canonical. */
  readonly postcode: string;
  readonly plays: SandboxCase;
  /** The answer to a check. */
  readonly check: string;
  /** The answer to an order. */
  readonly order: string;
}

/** Milliseconds until the slow postcode answers. The balancers in `deploy` repeat a request after 1.4 seconds. */
export const SLOW_ANSWER = 1_000;
/** Seconds in the `Retry-After` of refusals. */
export const SANDBOX_RETRY = 2;
/** The first day of sale at the planned postcode. */
export const SANDBOX_READY_DATE = '2099-01-01';
/** The extra charge that the first `advance` of an order proposes, in pounds. */
export const SANDBOX_CHARGE = 250;
/** UPRNs at the postcode with premises. Nothing is sold at the excluded one. */
export const SANDBOX_UPRNS = { firm: 999_900_000_001, excluded: 999_900_000_002 } as const;

export const sandboxPostcodes: readonly SandboxPostcode[] = [
  {
    postcode: 'ZZ99 1AA',
    plays: 'products',
    check: '200 with three products.',
    order: '201 for `TEST-100M-12`, `TEST-1G-12` and `TEST-1G-36`.',
  },
  {
    postcode: 'ZZ99 1AB',
    plays: 'nothing',
    check: '200 with an empty list: nothing covers it.',
    order: '422 `product-not-available`.',
  },
  {
    postcode: 'ZZ99 1AD',
    plays: 'excluded',
    check: '200 with an empty list: it is excluded from what is sold around it.',
    order: '422 `product-not-available`.',
  },
  {
    postcode: 'ZZ99 1AE',
    plays: 'slow',
    check: '200 with three products, after one second.',
    order: '201, after one second; it is stored even if you hang up before.',
  },
  {
    postcode: 'ZZ99 1AF',
    plays: 'unavailable',
    check: `503 \`unavailable\` with \`Retry-After: ${SANDBOX_RETRY}\`.`,
    order: 'The same.',
  },
  {
    postcode: 'ZZ99 1AG',
    plays: 'limited',
    check: `429 \`rate-limited\` with \`Retry-After: ${SANDBOX_RETRY}\`, \`RateLimit\` and \`RateLimit-Policy\`.`,
    order: 'The same.',
  },
  {
    postcode: 'ZZ99 1AH',
    plays: 'price-change',
    check: '200 with three products.',
    order:
      '409 `offer-changed` where the check is cited: its prices have changed by then. 201 at the new price without `checkId`.',
  },
  {
    postcode: 'ZZ99 1AJ',
    plays: 'survey',
    check:
      '200 with three products: `basis` is `subjectToSurvey`, with a `setupPrice`; `constraints` has `surveyRequired` and `wayleaveOwner`.',
    order:
      '201: a survey may add charges. Once it is accepted, cancelling it costs one month, and three after the survey.',
  },
  {
    postcode: 'ZZ99 1AL',
    plays: 'indicative',
    check: '200 with three products: `basis` is `indicative`, without a `setupPrice`.',
    order: '201: a person confirms the price first.',
  },
  {
    postcode: 'ZZ99 1AN',
    plays: 'planned',
    check: `200 with an empty list: its reason is \`planned\`, with the \`readyDate\` ${SANDBOX_READY_DATE}.`,
    order: '422 `product-not-available`.',
  },
  {
    postcode: 'ZZ99 1AP',
    plays: 'premises',
    check: `200 with three products: \`basis\` is \`subjectToSurvey\` for the postcode and \`firm\` for the premises \`${SANDBOX_UPRNS.firm}\`; none for \`${SANDBOX_UPRNS.excluded}\`.`,
    order: `201, and with the UPRN ${SANDBOX_UPRNS.excluded} 422 \`product-not-available\`.`,
  },
  {
    postcode: 'ZZ99 1AZ',
    plays: 'charge',
    check: '200 with three products: `basis` is `subjectToSurvey`.',
    order: `201. The first \`advance\` proposes an extra charge of £${SANDBOX_CHARGE}, which you can answer.`,
  },
  {
    postcode: 'ZZ99 1BA',
    plays: 'unable',
    check: '200 with an empty list: nothing covers it.',
    order:
      '422 `product-not-available`. Send an enquiry: the second `advance` ends it as `unableToProvide`.',
  },
  {
    postcode: 'ZZ99 1BB',
    plays: 'offered',
    check: '200 with an empty list. Send an enquiry: the first `advance` makes two offers.',
    order: '422 `product-not-available`.',
  },
  {
    postcode: 'ZZ99 1BD',
    plays: 'offer-expired',
    check:
      '200 with an empty list. Send an enquiry: the first `advance` makes offers that have expired, the second one ends the enquiry.',
    order: '422 `product-not-available`.',
  },
  {
    postcode: 'ZZ99 1BE',
    plays: 'first-band',
    check:
      '200 with three products, priced by distance: `nearest` is 50 m, in the band to 100 m; `setupPrice` is 950, `basis` `subjectToSurvey`.',
    order: '201: the order keeps `nearest`.',
  },
  {
    postcode: 'ZZ99 1BF',
    plays: 'second-band',
    check:
      '200 with three products, priced by distance: `nearest` is 350 m, in the band to 500 m; `setupPrice` is 4500.',
    order: '201: the order keeps `nearest`.',
  },
  {
    postcode: 'ZZ99 1BG',
    plays: 'last-band',
    check:
      '200 with three products, priced by distance: `nearest` is 1,300 m, in the band to 2,000 m; `basis` is `indicative`, without a `setupPrice`.',
    order: '201: a person confirms the price first.',
  },
  {
    postcode: 'ZZ99 1BH',
    plays: 'beyond-bands',
    check: '200 with an empty list: its reasons are `notCovered` and `beyondBuild`.',
    order: '422 `product-not-available`.',
  },
];

const byPostcode = new Map(sandboxPostcodes.map((one) => [one.postcode, one]));

/** Undefined for a real postcode. */
export function sandboxCaseAt(postcode: Postcode): SandboxCase | undefined {
  return byPostcode.get(postcode.unit)?.plays;
}

/** In any case and spacing. */
export function isSandboxPostcode(text: string): boolean {
  const postcode = parseSandboxPostcode(text);
  return postcode !== null && byPostcode.has(postcode.unit);
}

/** Markdown for the description and the documentation. */
export const sandboxTable = [
  '| Postcode | Check | Order |',
  '| --- | --- | --- |',
  ...sandboxPostcodes.map(
    ({ postcode, check, order }) => `| \`${postcode}\` | ${check} | ${order} |`,
  ),
].join('\n');

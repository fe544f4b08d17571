/**
 * The postcodes that exist for test tokens only. Each shows an integrator one case that is rare or slow
 * to occur with a real postcode.
 */
import { parseSandboxPostcode, type Postcode } from './postcode.js';

export type SandboxCase =
  'products' | 'nothing' | 'excluded' | 'slow' | 'unavailable' | 'limited' | 'price-change';

export interface SandboxPostcode {
  /** Canonical. */
  readonly postcode: string;
  readonly plays: SandboxCase;
  /** What a check of it answers, in a sentence. */
  readonly check: string;
  /** What an order there answers, in a sentence. */
  readonly order: string;
}

/** Milliseconds before the slow one answers. */
export const SLOW_ANSWER = 3_000;
/** Seconds in the `Retry-After` of those that refuse. */
export const SANDBOX_RETRY = 2;

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
    check: `200 with three products, after ${SLOW_ANSWER / 1_000} seconds.`,
    order: `201, after ${SLOW_ANSWER / 1_000} seconds; it is stored even if you hang up before.`,
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
];

const byPostcode = new Map(sandboxPostcodes.map((one) => [one.postcode, one]));

/** What the sandbox plays at a postcode; undefined where that is a real one. */
export function sandboxCaseAt(postcode: Postcode): SandboxCase | undefined {
  return byPostcode.get(postcode.unit)?.plays;
}

/** Whether the text is one of the sandbox's postcodes, in any case and spacing. */
export function isSandboxPostcode(text: string): boolean {
  const postcode = parseSandboxPostcode(text);
  return postcode !== null && byPostcode.has(postcode.unit);
}

/** The table as Markdown, for the description and the documentation. */
export const sandboxTable = [
  '| Postcode | Check | Order |',
  '| --- | --- | --- |',
  ...sandboxPostcodes.map(
    ({ postcode, check, order }) => `| \`${postcode}\` | ${check} | ${order} |`,
  ),
].join('\n');

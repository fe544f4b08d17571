import { SiteDetails } from '../orders/record/site-details.dto.js';
import { validOrFaults } from '../platform/http/valid.js';
import { isUuid } from '../platform/kernel/uuid.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import type { QuoteAcceptance, LineRefusal, RefusedLine } from './quote-requests.dto.js';
import { type LineUse, stateOfLine } from './record/line-states.js';
import type { QuoteLine } from './record/quote.entity.js';

/** The details of single lines. @throws {ValidationFailed} */
export function validSites(body: QuoteAcceptance): ReadonlyMap<number, SiteDetails> {
  return new Map(
    byLine(body, 'sites').map(({ number, value, at }) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw faultAt(at, 'Must be an object.', 'wrong-type');
      }
      const valid = validOrFaults(SiteDetails, value);
      if (valid instanceof SiteDetails) return [number, valid];
      throw new ValidationFailed(valid.map((one) => ({ ...one, pointer: `${at}${one.pointer}` })));
    }),
  );
}

/** The offers of single lines that the client has read; null for none. @throws {ValidationFailed} */
export function validOffers(body: QuoteAcceptance): ReadonlyMap<number, string | null> {
  return new Map(
    byLine(body, 'offers').map(({ number, value, at }) => {
      if (value === null) return [number, null];
      if (typeof value === 'string' && isUuid(value)) return [number, value.toLowerCase()];
      throw faultAt(at, 'Must be a UUID, or null.');
    }),
  );
}

/** What a field says of single lines, with its pointer. @throws {ValidationFailed} */
function byLine(body: QuoteAcceptance, field: 'sites' | 'offers') {
  const stated = (body[field] ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(stated).map(([lineId, value]) => {
    const at = `/${field}/${lineId.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!body.lines.includes(lineId)) throw faultAt(at, 'Name the line in lines, too.');
    return { number: Number(lineId), value, at };
  });
}

function faultAt(pointer: string, detail: string, code = 'not-allowed'): ValidationFailed {
  return new ValidationFailed([{ pointer, code, detail }]);
}

/** A line with its number, from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly line: QuoteLine;
  readonly use: LineUse;
  /** Places of the quote with a product of the same service. */
  readonly ofService: number;
}

export function refusalToAsk({ line, use }: NumberedLine): LineRefusal | null {
  if (use.enquiry) return 'alreadyEnquired';
  return stateOfLine(line, use) === 'notAvailable' ? null : 'notAsked';
}

/** @param outcomes of the lines: a reason where one was refused */
export function refusedAmong(
  lines: readonly NumberedLine[],
  outcomes: readonly (LineRefusal | object | null)[],
): RefusedLine[] {
  return lines.flatMap(({ number, use }, i) => {
    const reason = outcomes[i];
    if (typeof reason !== 'string') return [];
    const orderId = reason === 'alreadyOrdered' ? { orderId: use.order!.id } : {};
    return [{ lineId: String(number), reason, ...orderId }];
  });
}

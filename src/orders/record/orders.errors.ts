import { type Offers } from '../../catalogue/content/shown-offers.js';
import { dayInWords } from '../../catalogue/content/dates.js';
import type { AgreedTerms } from '../../catalogue/content/offer-fields.js';
import { shownTerms, termsOf } from '../../catalogue/content/offers.js';
import { NotFound, Problem, ValidationFailed } from '../../platform/problems/problem.js';
import type { OrderState, WorkKind } from './order-states.js';
import {
  decimalsOf,
  LARGEST_AMOUNT,
  majorUnits,
  parseAmount,
  printPrice,
  priceInWords,
} from '../../platform/kernel/money.js';
import { whole } from '../../platform/kernel/counts.js';

export class UnknownPerson extends Problem {
  constructor() {
    super('unknown-person', undefined, { field: 'ownerId' });
  }
}

export class SearchTooBroad extends Problem {
  constructor(most: number) {
    super('search-too-broad', `More than ${most} orders match; an export would lack some.`);
  }
}

/** Major units of a currency as minor units. @throws {ValidationFailed} */
export function minorUnitsOf(amount: number, currency: string, pointer: string): number {
  const minor = parseAmount(String(amount), currency);
  if (minor !== null) return minor;
  const largest = printPrice(majorUnits(LARGEST_AMOUNT, currency), currency);
  const detail = `Use at most ${decimalsOf(currency)} decimals, and at most ${largest}.`;
  throw new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}

/** The client has not answered a charge, so it has not agreed to all of the order. */
export class ChargeOpen extends Problem {
  constructor(chargeIds: readonly string[]) {
    super(
      'charge-open',
      'The client has not answered an extra charge yet: withdraw it, or record the answer.',
      { members: { chargeIds } },
    );
  }
}

/** Cancelling costs more than the client accepts; see `costOfCancelling`. */
export class CancellationCostsMore extends Problem {
  constructor(cost: { readonly amount: number; readonly currency: string }) {
    super(
      'cancellation-costs-more',
      `Cancelling this order costs ${priceInWords(cost.amount, cost.currency)} now. Send that as acceptUpTo, or leave it out to ask the operator.`,
      { members: { cancellation: cost } },
    );
  }
}

export class OrderNotFound extends NotFound {
  constructor() {
    super('There is no order with this id.');
  }
}

export class EnquiryNotFound extends NotFound {
  constructor() {
    super('There is no enquiry with this id.');
  }
}

export class UnknownProduct extends Problem {
  constructor() {
    super('unknown-product');
  }
}

export class ProductNotAvailable extends Problem {
  /** @param place in words */
  constructor(place: string, { list, readyDate }: Pick<Offers, 'list' | 'readyDate'>) {
    const none =
      readyDate === null
        ? `No products are available at ${place}.`
        : `Products at ${place} can be ordered from ${dayInWords(readyDate)}.`;
    super(
      'product-not-available',
      list.length === 0
        ? none
        : `This product is not sold at ${place}; availableProducts lists the codes that are.`,
      { members: { availableProducts: list.map(({ productCode }) => productCode) } },
    );
  }
}

export class UnknownCheck extends Problem {
  constructor(detail?: string) {
    super('unknown-check', detail);
  }
}

/** The cited check is of the postcode, or of other premises there, where other offers apply. */
export class CheckOfOtherPlace extends UnknownCheck {
  constructor(checkedUprn: number | null) {
    const checked = checkedUprn === null ? 'the whole postcode' : 'other premises';
    super(
      `The cited check is of ${checked}, and these premises can have other products and terms. Check the premises with their UPRN, and order with the id of that check.`,
    );
  }
}

export class OfferChanged extends Problem {
  constructor(quoted: AgreedTerms, current: AgreedTerms | undefined) {
    const terms = shownTerms().map(({ label }) => label);
    const detail = current
      ? `${oneOf(terms)} has changed since the cited check.`
      : 'The product is no longer sold at this postcode, and the price hold of the cited check has ended.';
    super('offer-changed', detail, {
      members: { quoted: termsOf(quoted), current: current ? termsOf(current) : null },
    });
  }
}

/** `Price or lead time`. */
function oneOf(labels: readonly string[]): string {
  const text = labels.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  return text.charAt(0) + text.slice(1).toLowerCase();
}

export class TooManyOpen extends Problem {
  constructor(most: number) {
    super(
      'too-many-open',
      `You have ${whole(most)} open orders and enquiries. Cancel those that you no longer need, or wait until others are closed, and send the request again after a minute.`,
    );
  }
}

export class IdempotencyKeyReused extends Problem {
  constructor() {
    super('idempotency-key-reused');
  }
}

export class RequestInProgress extends Problem {
  constructor() {
    super('request-in-progress', undefined, { headers: { 'Retry-After': '1' } });
  }
}

interface CurrentProgress {
  readonly state: OrderState;
  readonly ownerId: string | null;
  readonly version: number;
}

/** Someone else moved the order first, or its state does not allow the move. */
export class OrderMoved extends Problem {
  constructor(
    { state, ownerId, version }: CurrentProgress,
    ownerName: string | null,
    detail?: string,
  ) {
    const held = ownerName === null ? '' : `, held by ${ownerName}`;
    super(
      'order-moved',
      detail ?? `The order has moved on: it is ${state.replaceAll('_', ' ')}${held}.`,
      { members: { state, ownerId, ownerName, version } },
    );
  }
}

export class OrderClosed extends Problem {
  constructor(
    kind: WorkKind,
    state: string,
    detail = `The ${kind} is already ${state} and cannot be cancelled.`,
  ) {
    super(`${kind}-moved`, detail, {
      members: { state },
    });
  }
}

/** It ended too long ago for messages. */
export class ConversationEnded extends Problem {
  constructor(kind: WorkKind, state: string, days: number) {
    super(
      `${kind}-moved`,
      `The ${kind} ended more than ${days} days ago: it takes no more messages. Contact the operator.`,
      { members: { state } },
    );
  }
}

/** The delivery does not wait for the client. */
export class NotWaiting extends Problem {
  constructor() {
    super('not-waiting');
  }
}

export class TestOrderStays extends Problem {
  constructor(kind: WorkKind, state: string) {
    super(`${kind}-moved`, `The test ${kind} is ${state} and cannot move to that state.`, {
      members: { state },
    });
  }
}

/** Live tokens get it too. */
export class TestOrderNotFound extends NotFound {
  constructor(kind: WorkKind) {
    const plural = kind === 'order' ? 'orders' : 'enquiries';
    super(`You have no test ${kind} with this id. Only a test token sees test ${plural}.`);
  }
}

export class NotPermitted extends Problem {
  constructor(detail: string) {
    super('not-permitted', detail);
  }
}

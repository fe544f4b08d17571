import type { AgreedTerms, Offer } from '../catalogue/content/offer-fields.js';
import { shownTerms, termsOf } from '../catalogue/content/offers.js';
import { NotFound, Problem, ValidationFailed } from '../problems/problem.js';
import type { MoveRefusal } from './moves/order-state.js';
import type { OrderState } from './moves/order-states.js';

export class OrderNotFound extends NotFound {
  constructor() {
    super('There is no order with this id.');
  }
}

export class UnknownProduct extends Problem {
  constructor() {
    super('unknown-product', 'The catalogue has no product with this code.');
  }
}

export class ProductNotAvailable extends Problem {
  constructor(postcode: string, available: readonly Offer[]) {
    const none = available.length === 0;
    super(
      'product-not-available',
      none
        ? `Nothing is sold at ${postcode}.`
        : `This product is not sold at ${postcode}; availableProducts lists the codes that are.`,
      { members: { availableProducts: available.map(({ productCode }) => productCode) } },
    );
  }
}

export class UnknownCheck extends Problem {
  constructor() {
    super('unknown-check', 'No check of yours with this id was made for this postcode.');
  }
}

export class OfferChanged extends Problem {
  constructor(quoted: AgreedTerms, current: AgreedTerms | undefined) {
    const terms = shownTerms().map(({ label }) => label);
    const detail = current
      ? `${oneOf(terms)} have changed since the cited check.`
      : 'The product is no longer sold at this postcode; the cited check is too old to hold.';
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

export class IdempotencyKeyReused extends Problem {
  constructor() {
    super('idempotency-key-reused', 'This key was used for an order with another body.');
  }
}

export class RequestInProgress extends Problem {
  constructor() {
    super('request-in-progress', 'The first request with this key has not been answered yet.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

interface CurrentProgress {
  readonly state: OrderState;
  readonly ownerId: string | null;
  readonly version: number;
}

/** Somebody else was first, or the order is in a state that does not allow the move. */
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

/** The order can no longer be called off by its API client. */
export class OrderClosed extends Problem {
  constructor(state: string) {
    super('order-moved', `The order is ${state} already; it cannot be called off.`, {
      members: { state },
    });
  }
}

/** There is no way from the state of a test order to the one that is asked for. */
export class TestOrderStays extends Problem {
  constructor(state: string) {
    super('order-moved', `The test order is ${state}; it cannot be moved on to that.`, {
      members: { state },
    });
  }
}

/** Also to a live token, which sees no test order. */
export class TestOrderNotFound extends NotFound {
  constructor() {
    super('There is no test order of yours with this id; only a test token sees them.');
  }
}

export class NotPermitted extends Problem {
  constructor(detail: string) {
    super('not-permitted', detail);
  }
}

/** A refusal of the rules, other than by the order's state, as the problem that the caller is told. */
export function moveRefused({ refused, detail, pointer = '' }: MoveRefusal): Problem {
  return refused === 'permission'
    ? new NotPermitted(detail)
    : new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}

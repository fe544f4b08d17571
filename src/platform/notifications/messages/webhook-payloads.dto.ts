import { ApiSchema } from '@nestjs/swagger';

// The bodies of webhooks: the OpenAPI document for API clients lists them.

class PayloadData {
  /** Only at the webhook for tests: `true`. @example true */
  test?: boolean;
}

@ApiSchema({ description: 'An order that was received or has changed. Read it for details.' })
export class OrderPayloadData extends PayloadData {
  /** The order. @kind uuid */
  orderId: string;

  /** The operator's short reference. @kind reference */
  orderReference: string;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /** The new state. @allOf PublicState */
  state: string;
}

@ApiSchema({ description: 'An order with the step of an extra charge.' })
export class ChargePayloadData extends OrderPayloadData {
  /** The charge. @kind uuid */
  chargeId: string;

  /** The new state of the charge. @allOf ChargeState */
  chargeState: string;
}

@ApiSchema({ description: 'An order whose delivery has changed. Read it for the dates.' })
export class DeliveryPayloadData extends OrderPayloadData {
  /** The last milestone that is done; null before the first. @pattern ^[a-z]+$ @maxLength 16 @example "surveyed" */
  milestone: string | null;

  /** Who has to act; null if the delivery waits for no one. @pattern ^[a-zA-Z]+$ @maxLength 16 @example "client" */
  waitingFor: string | null;
}

@ApiSchema({ description: 'An enquiry that was received or has changed. Read it for details.' })
export class EnquiryPayloadData extends PayloadData {
  /** The enquiry. @kind uuid */
  enquiryId: string;

  /** The operator's short reference. @pattern ^ENQ-[0-9A-HJKMNP-TV-Z]{6}$ @maxLength 10 @example "ENQ-7F3K9Q" */
  enquiryReference: string;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /** The new state. @allOf EnquiryState */
  state: string;
}

@ApiSchema({
  description: 'An order about which the operator or its client has written. Read its messages.',
})
export class OrderMessagePayloadData extends OrderPayloadData {
  /** The message. @kind uuid */
  messageId: string;

  /** Who wrote it. Only the operator's webhooks report what a `client` writes. @allOf MessageSender */
  from: string;
}

@ApiSchema({
  description: 'An enquiry about which the operator or its client has written. Read its messages.',
})
export class EnquiryMessagePayloadData extends EnquiryPayloadData {
  /** The message. @kind uuid */
  messageId: string;

  /** Who wrote it. Only the operator's webhooks report what a `client` writes. @allOf MessageSender */
  from: string;
}

@ApiSchema({ description: 'An offer that can be accepted.' })
export class OfferInPayload {
  /** The offer. @kind uuid */
  offerId: string;

  /** Until when it can be accepted, UTC. */
  validUntil: Date;
}

@ApiSchema({ description: 'An enquiry with its offers.' })
export class OfferedPayloadData extends EnquiryPayloadData {
  /** The offers that can be accepted now. @maxItems 1000 */
  offers: OfferInPayload[];
}

@ApiSchema({ description: 'A watched place that is served now.' })
export class ServedPlace {
  /** The watch. @kind uuid */
  watchId: string;

  /** In standard form. @kind postcode */
  postcode: string;

  /** The watched premises; null for the whole postcode. @kind uprn */
  uprn: string | null;

  /** The client's own reference for this watch. @kind clientReference */
  reference: string | null;
}

@ApiSchema({ description: 'Watched places that are served now.' })
export class WatchServedPayloadData extends PayloadData {
  /** In the order of their postcodes. @maxItems 100 */
  places: ServedPlace[];
}

@ApiSchema({ description: 'A quote. Read it for its lines.' })
export class QuotePayloadData extends PayloadData {
  /** The quote. @kind uuid */
  quoteId: string;

  /** The operator's short reference. @kind quoteReference */
  quoteReference: string;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /** Until when its lines can be ordered, UTC. */
  validUntil: Date;
}

@ApiSchema({ description: 'Coverage and prices that have changed. Download the changes.' })
export class CoveragePayloadData extends PayloadData {
  /** The present version, as in the `ETag` of a download. @pattern ^[A-Za-z0-9_.-]+$ @maxLength 40 @example "q0Jx1mZ3rT5v7Yb9" */
  version: string;
}

class Payload {
  /** The time of the event, UTC. */
  timestamp: Date;
}

@ApiSchema({ description: 'A webhook about an order.' })
export class OrderPayload extends Payload {
  /**
   * `order.received`: it is stored. `order.state-changed`: its state is `data.state` now. `order.amended`: its client or
   * the operator has amended it.
   */
  type: 'order.received' | 'order.state-changed' | 'order.amended';

  data: OrderPayloadData;
}

@ApiSchema({ description: 'A webhook about an extra charge on an order.' })
export class ChargePayload extends Payload {
  /**
   * Which step the charge took: `order.charge-proposed`, `order.charge-answered`, `order.charge-lapsed`
   * or `order.charge-withdrawn`.
   */
  type:
    | 'order.charge-proposed'
    | 'order.charge-answered'
    | 'order.charge-lapsed'
    | 'order.charge-withdrawn';

  data: ChargePayloadData;
}

@ApiSchema({ description: 'A webhook about the delivery of an order.' })
export class DeliveryPayload extends Payload {
  /**
   * `order.delivery-changed`: milestones, dates, or who is waited for; at most one a minute for each order.
   * `order.waiting`: a reminder that the delivery waits for you.
   */
  type: 'order.delivery-changed' | 'order.waiting';

  data: DeliveryPayloadData;
}

@ApiSchema({ description: 'A webhook about an enquiry.' })
export class EnquiryPayload extends Payload {
  /**
   * `enquiry.received`: it is stored. `enquiry.state-changed`: its state is `data.state` now. `enquiry.amended`: its
   * reference, contact, site details or preferred days have changed.
   */
  type: 'enquiry.received' | 'enquiry.state-changed' | 'enquiry.amended';

  data: EnquiryPayloadData;
}

@ApiSchema({ description: 'A webhook about the offers of an enquiry.' })
export class OfferedPayload extends Payload {
  /** `enquiry.offered`: there are offers to accept or decline. */
  type: 'enquiry.offered';

  data: OfferedPayloadData;
}

@ApiSchema({ description: 'A webhook about a message on an order.' })
export class OrderMessagePayload extends Payload {
  /** `order.message`: there is another message to read. */
  type: 'order.message';

  data: OrderMessagePayloadData;
}

@ApiSchema({ description: 'A webhook about a message on an enquiry.' })
export class EnquiryMessagePayload extends Payload {
  /** `enquiry.message`: there is another message to read. */
  type: 'enquiry.message';

  data: EnquiryMessagePayloadData;
}

@ApiSchema({ description: 'A webhook about watched places.' })
export class WatchServedPayload extends Payload {
  /** `watch.served`: products can be ordered at these places now. */
  type: 'watch.served';

  data: WatchServedPayloadData;
}

@ApiSchema({ description: 'A webhook about a quote.' })
export class QuotePayload extends Payload {
  /**
   * `quote.updated`: lines have changed their state, or the operator has made or withdrawn the quote; at most one a minute. `quote.expiring`: lines that can be
   * ordered expire within three days.
   */
  type: 'quote.updated' | 'quote.expiring';

  data: QuotePayloadData;
}

@ApiSchema({ description: 'A webhook about coverage and prices.' })
export class CoveragePayload extends Payload {
  /** `coverage.changed`: there is another version. Only for clients with the scope `coverage:read`. */
  type: 'coverage.changed';

  data: CoveragePayloadData;
}

@ApiSchema({ description: 'A webhook that the operator sends to try a receiver.' })
export class TrialPayload extends Payload {
  /** `webhook.test`: no order, watch or quote has changed. */
  type: 'webhook.test';

  /** Empty. */
  data: object;
}

export type WebhookPayload =
  | OrderPayload
  | ChargePayload
  | DeliveryPayload
  | EnquiryPayload
  | OfferedPayload
  | OrderMessagePayload
  | EnquiryMessagePayload
  | WatchServedPayload
  | QuotePayload
  | CoveragePayload
  | TrialPayload;

export const webhookPayloads = [
  OrderPayload,
  ChargePayload,
  DeliveryPayload,
  EnquiryPayload,
  OfferedPayload,
  OrderMessagePayload,
  EnquiryMessagePayload,
  WatchServedPayload,
  QuotePayload,
  CoveragePayload,
  TrialPayload,
];

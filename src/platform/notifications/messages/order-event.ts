import type {
  CoveragePayloadData,
  QuotePayloadData,
  WatchServedPayloadData,
} from './webhook-payloads.dto.js';

interface OrderKey {
  readonly id: string;
  readonly reference: string;
  readonly clientId: string;
  /** The client's own reference. */
  readonly clientReference: string | null;
}

/** A step of an extra charge: the last part of the event's type. */
export type ChargeStep = 'proposed' | 'answered' | 'lapsed' | 'withdrawn';

/** A change of an order or an enquiry, with public states only. */
export type OrderEvent =
  | OfferedEvent
  | {
      readonly type: 'order.received' | 'enquiry.received';
      readonly order: OrderKey & { readonly contactEmail: string | null };
      readonly state: string;
      readonly at: Date;
    }
  | {
      readonly type: 'order.state-changed' | 'enquiry.state-changed';
      readonly order: OrderKey;
      readonly from: string;
      readonly to: string;
      readonly at: Date;
    }
  | {
      readonly type: 'order.amended' | 'enquiry.amended';
      readonly order: OrderKey;
      readonly state: string;
      readonly at: Date;
    }
  | {
      readonly type: `order.charge-${ChargeStep}`;
      readonly order: OrderKey;
      readonly state: string;
      readonly charge: {
        readonly id: string;
        readonly state: string;
        /** Who made the step. */
        readonly by: 'client' | 'staff' | 'service';
      };
      readonly at: Date;
    }
  | {
      readonly type: 'order.message' | 'enquiry.message';
      readonly order: OrderKey;
      readonly state: string;
      /** Its text is in no webhook. What a client writes is no news to the client. */
      readonly message: { readonly id: string; readonly from: 'client' | 'operator' };
      readonly at: Date;
    }
  | {
      readonly type: 'order.delivery-changed' | 'order.waiting';
      readonly order: OrderKey;
      readonly state: string;
      /** Codes: the last milestone that is done, and who is waited for. */
      readonly delivery: { readonly milestone: string | null; readonly waitingFor: string | null };
      readonly at: Date;
    };

/** Offers that a client can accept from now on. */
export interface OfferedEvent {
  readonly type: 'enquiry.offered';
  readonly order: OrderKey & { readonly contactEmail: string | null };
  readonly to: 'offered';
  readonly offers: readonly { readonly offerId: string; readonly validUntil: Date }[];
  readonly at: Date;
}

/** An event that concerns one API client only. `data` is that of the webhook's body. */
export type ClientEvent =
  | {
      readonly type: 'watch.served';
      readonly at: Date;
      readonly data: WatchServedPayloadData;
    }
  | {
      readonly type: 'coverage.changed';
      readonly at: Date;
      readonly data: CoveragePayloadData;
    }
  | {
      readonly type: 'quote.updated' | 'quote.expiring';
      readonly at: Date;
      readonly data: QuotePayloadData;
      /** Staff have answered the last of its enquiries. */
      readonly isAnswered: boolean;
    };

type EventType = (OrderEvent | ClientEvent)['type'];

const eventNames: Readonly<Record<EventType, string>> = {
  'order.received': 'Order received',
  'order.state-changed': 'Order state changed',
  'order.amended': 'Order amended',
  'order.charge-proposed': 'Extra charge proposed',
  'order.charge-answered': 'Extra charge answered',
  'order.charge-lapsed': 'Extra charge lapsed',
  'order.charge-withdrawn': 'Extra charge withdrawn',
  'order.delivery-changed': 'Delivery changed',
  'order.message': 'Message about an order',
  'order.waiting': 'Order waits for the client',
  'enquiry.received': 'Enquiry received',
  'enquiry.state-changed': 'Enquiry state changed',
  'enquiry.amended': 'Enquiry amended',
  'enquiry.offered': 'Enquiry offered',
  'enquiry.message': 'Message about an enquiry',
  'watch.served': 'Watched places served',
  'coverage.changed': 'Coverage changed',
  'quote.updated': 'Quote updated',
  'quote.expiring': 'Quote expires soon',
};

/** An event in words; an unknown one as it is. */
export function eventWords(type: string): string {
  return Object.hasOwn(eventNames, type) ? eventNames[type as EventType] : type;
}

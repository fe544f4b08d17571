/** What moves are, who makes them, and what each carries. */
import type { StatedFacts } from '../record/amendments.js';
import type { OrderProgress } from '../record/order-states.js';
import type {
  CancelReason,
  ContactChannel,
  ContactResult,
  LostReason,
  ScheduleReason,
  ServiceReason,
} from './move-fields.js';

export interface OrderOwner {
  readonly id: string;
  readonly name: string;
}

/** Who makes a move. */
export type Mover =
  | (OrderOwner & { readonly kind: 'staff'; readonly manager: boolean })
  | { readonly kind: 'client'; readonly id: string; readonly name: string }
  | { readonly kind: 'staleRule' | 'chargeRule' }
  /** The service itself, when time has passed or a client has decided. */
  | { readonly kind: 'service' };

export type StaffMover = Extract<Mover, { kind: 'staff' }>;

/** The order that another one is a duplicate of. */
export type OriginalOrder = Pick<OrderProgress, 'id' | 'kind' | 'clientId' | 'state'>;

interface OptionalNote {
  readonly note?: string;
}

/** A move that follows from bespoke offers. */
interface OfferNote extends OptionalNote {
  /** The references of the offers that it is about. */
  readonly offer?: string;
}

/** The names of what an amendment has changed; with values only of what names no person. */
interface AmendedFields {
  readonly changed: readonly string[];
  readonly before: StatedFacts;
  readonly after: StatedFacts;
}

/** What each move carries. */
interface MoveContents {
  readonly claim: object;
  readonly assign: OptionalNote & { readonly owner: OrderOwner };
  readonly logContact: OptionalNote & {
    readonly channel: ContactChannel;
    readonly result: ContactResult;
  };
  readonly schedule: OptionalNote & {
    readonly nextActionAt: Date;
    readonly reason: ScheduleReason | ServiceReason;
  };
  readonly resume: OptionalNote;
  readonly handOver: { readonly owner: OrderOwner; readonly note: string };
  readonly release: { readonly reason: string };
  readonly win: OptionalNote & {
    readonly externalReference?: string;
    /** What was confirmed of an indicative price, in major units. */
    readonly price?: number | null;
    readonly setupPrice?: number | null;
  };
  readonly lose: OptionalNote & { readonly reason: LostReason };
  readonly cancel: OptionalNote & { readonly reason: CancelReason };
  readonly duplicate: OptionalNote & { readonly of: OriginalOrder };
  readonly reopen: { readonly reason: string };
  /** Staff write to the client. It settles what the client wrote. */
  readonly reply: { readonly text: string };
  /** What the client wrote needs no answer. */
  readonly settle: object;
  /** An answer with bespoke offers is sent. */
  readonly offer: OfferNote;
  /** The client accepts one of the offers. */
  readonly accept: OfferNote & {
    /** The person who told the staff member that the client accepts. */
    readonly answeredBy?: string;
  };
  /** The client declines all offers. */
  readonly decline: OfferNote;
  /** The last open offer expires. */
  readonly expire: OfferNote;
  /** The last open offer is withdrawn. */
  readonly retract: OfferNote;
  /** Its client, or staff other than its owner, has changed what it says. */
  readonly amend: AmendedFields;
  /** Its owner has. */
  readonly correct: AmendedFields;
  /** The client writes. An order that is closed stays closed. */
  readonly hear: {
    readonly messageId: string;
    readonly text: string;
    readonly answersWaiting: boolean;
    /** The id of the access token. */
    readonly token: string;
  };
  /** An accepted order is cancelled, because its client asks for it. */
  readonly endDelivery: OptionalNote & { readonly reason: CancelReason };
}

/** Moves that clients, amendments, and the work on offers and deliveries make: they have no route, button or form of their own. */
export type InnerMove =
  | 'offer'
  | 'accept'
  | 'decline'
  | 'expire'
  | 'retract'
  | 'amend'
  | 'correct'
  | 'hear'
  | 'endDelivery';

export type MoveName = keyof MoveContents;
/** Moves with a route and a form. */
export type StaffMove = Exclude<MoveName, InnerMove>;
export type MoveOf<N extends MoveName> = { readonly name: N } & MoveContents[N];
export type Move = { [N in MoveName]: MoveOf<N> }[MoveName];

export type Who =
  'staff' | 'owner' | 'manager' | 'client' | 'staleRule' | 'chargeRule' | 'service' | 'recentOwner';

type CarriedBy<M> = Omit<M, 'name' | 'owner' | 'of' | 'reason'> &
  (M extends { reason: infer R } ? { readonly reason: Exclude<R, ServiceReason> } : unknown) &
  (M extends { owner: OrderOwner } ? { readonly ownerId: string } : unknown) &
  (M extends { of: OriginalOrder } ? { readonly of: string } : unknown);

/** A move as callers send it: people and other orders by their ids. */
export type MoveInput = {
  [N in StaffMove]: { readonly name: N } & CarriedBy<MoveOf<N>>;
}[StaffMove];

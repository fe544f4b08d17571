/**
 * What each caller must see, from the documents alone: plain data, so that it can be copied to try another order of
 * racing steps. Clients, members and requests are named by their places in these lists.
 */
import type { CatalogueModel, CheckModel, Terms } from './catalogue.js';

export interface ClientModel {
  readonly name: string;
  readonly priceList: string;
  readonly id: string;
  /** The one that is in use: a new one ends the one before. */
  token: string;
  tokenId: string;
  /** Those before. */
  readonly ended: string[];
  /** For the sandbox, which it never leaves. */
  readonly testToken: string;
  /** Its webhook's path at the receiver. */
  readonly hook: string;
}

export type Role = 'agent' | 'manager';

export interface MemberModel {
  readonly name: string;
  role: Role;
  id: string;
  token: string;
  isEnabled: boolean;
}

export interface CitedCheck {
  readonly id: string;
  readonly client: number;
  readonly postcode: string;
  readonly at: number;
  readonly answer: CheckModel;
}

export type WorkState =
  'waiting' | 'in_progress' | 'scheduled' | 'offered' | 'won' | 'lost' | 'cancelled' | 'duplicate';

/** What a move changes, and what undoing it restores. */
export interface Progress {
  state: WorkState;
  owner: number | null;
  contactAttempts: number;
  firstContactAt: number | null;
  lastContactAt: number | null;
  nextActionAt: number | null;
  nextActionReason: string | null;
  closedAt: number | null;
  closeReason: string | null;
  /** The request that it repeats. */
  duplicateOf: number | null;
  externalReference: string | null;
  confirmed: { readonly price: number; readonly setupPrice: number } | null;
  /** What was scheduled before the client wrote. */
  woken: { readonly at: number; readonly reason: string | null } | null;
}

/** What a client can correct. */
export interface Facts {
  reference: string | null;
  contact: { readonly name: string; readonly phone: string } | null;
  details: Readonly<Record<string, string>> | null;
  preferredDays: { readonly days: readonly string[] } | null;
}

export interface MessageModel {
  readonly from: 'client' | 'operator';
  readonly at: string;
  text: string;
  readonly answersWaiting: boolean;
}

export interface PublicChange {
  readonly state: string;
  readonly at: string;
  readonly reason?: string;
  readonly cancelledBy?: string;
}

/** An entry of the audit trail. */
export interface EntryModel {
  readonly action: string;
  /** A name, or `The service`. */
  readonly actor: string;
}

export type OfferState =
  | 'awaitingApproval'
  | 'open'
  | 'accepted'
  | 'declined'
  | 'withdrawn'
  | 'replaced'
  | 'expired'
  | 'refused';

export interface OfferModel {
  id: string;
  /** Offers of one answer are decided together. */
  answer: number;
  author: number;
  state: OfferState;
  /** Whether its client has seen it. */
  wasOpen: boolean;
  /** `BESPOKE-` and its reference. */
  code?: string;
  terms: Omit<Terms, 'productCode'>;
  readonly note: string | null;
  readonly validUntil: number;
  order: number | null;
}

export type ChargeState = 'awaitingResponse' | 'accepted' | 'rejected' | 'lapsed' | 'withdrawn';

export interface ChargeModel {
  id: string;
  readonly category: string;
  /** In pence. */
  readonly amount: number;
  note: string | null;
  readonly proposer: number;
  readonly proposedAt: number;
  readonly dueAt: number;
  state: ChargeState;
  endedAt: number | null;
  answeredBy: string | null;
}

export interface RequestModel extends Progress {
  readonly kind: 'order' | 'enquiry';
  id: string;
  readonly client: number;
  readonly postcode: string;
  readonly facts: Facts;
  readonly messages: MessageModel[];
  readonly receivedAt: number;
  /** Of an order; a bespoke one has the code of its offer. */
  readonly terms: Terms | null;
  readonly wanted: {
    readonly bandwidth: number | null;
    readonly term: number | null;
    description: string | null;
  } | null;
  readonly checkId: string | null;
  /** An earlier one that it may repeat. */
  readonly twin: number | null;
  /** The enquiry and its offer that became this order. */
  readonly from: { readonly enquiry: number; readonly offer: number } | null;
  /** In pence. */
  readonly acceptExtraUpTo: number | null;
  readonly expedite: boolean;
  /** Of a quote. */
  readonly line: { readonly quote: number; readonly line: number } | null;
  /** Who got it last by "take next", without having recorded a call. */
  taken: { readonly by: number; readonly at: number } | null;
  /** Whether something was written about it since it was last erased, and the words of that. */
  isWrittenAbout: boolean;
  words: string[];
  version: number;
  readonly changes: PublicChange[];
  readonly entries: EntryModel[];
  readonly offers: OfferModel[];
  readonly charges: ChargeModel[];
  delivery: DeliveryModel | null;
  undo: UndoModel | null;
}

export interface DeliveryModel {
  readonly acceptedOn: string;
  committedDate: string | null;
  serviceId: string | null;
  readonly doneOn: Record<string, string>;
  /** The last one may go on. */
  readonly waits: WaitModel[];
  /** When its client asked to cancel it. */
  askedAt: number | null;
}

export interface WaitModel {
  readonly party: 'client' | 'operator' | 'thirdParty';
  what: string;
  readonly since: number;
  until: number | null;
  reminded: number | null;
}

export interface UndoModel {
  readonly by: number;
  readonly until: number;
  readonly version: number;
  readonly action: string;
  /** Null, as the next two, where the move does not change it. */
  readonly before: Progress | null;
  readonly delivery: DeliveryModel | null;
  readonly offers: readonly OfferModel[] | null;
  /** Of a text that is taken back, too: whether something had been written before. */
  readonly wasWrittenAbout?: boolean;
  /** Messages that wait, and are never sent if it is undone. */
  readonly events: readonly EventModel[];
}

/** What a site needs. Without a bandwidth its row is invalid. */
export interface WantedModel {
  readonly bandwidth: number | null;
  readonly term: number | null;
  readonly service: string | null;
}

export interface QuoteModel {
  id: string;
  readonly client: number;
  reference: string | null;
  readonly at: number;
  /** From when the client sees it, if staff made it; infinite if they took that back. */
  sentAt: number;
  withdrawnAt: number | null;
  /** Whether the draft that it was is still kept. */
  hasDraft: boolean;
  readonly lines: readonly {
    postcode: string;
    readonly wanted: WantedModel;
    readonly terms: Terms | null;
    /** The volume discount, and the places of its service that it needs. */
    readonly discount: { readonly percent: number; readonly from: number } | null;
  }[];
}

export interface WatchModel {
  id: string;
  readonly client: number;
  readonly postcode: string;
  sent: {
    readonly reference: string | null;
    readonly minBandwidth: number | null;
    readonly maxPrice: number | null;
  };
  readonly createdAt: number;
  putAt: number;
  servedAt: number | null;
  isDeleted: boolean;
}

/** A message to a client's webhook. */
export interface EventModel {
  readonly client: number;
  readonly type: string;
  readonly request: number;
  readonly state: string;
  readonly charge: number | null;
  readonly chargeState: string | null;
}

/** What settings say. */
export interface Rules {
  readonly holdMinutes: number;
  /** In pence; null: no one alone. */
  readonly acceptAloneUpTo: number | null;
  readonly approvalOver: number;
  /** Working days; null: never. */
  readonly remindAfter: number | null;
  /** Whether lines of quotes can be ordered at their terms after later publications. */
  readonly holdsQuotes: boolean;
  /** Whether a discount needs its places among the lines that are ordered together. */
  readonly countsOrdered: boolean;
}

export interface Model {
  now: number;
  readonly rules: Rules;
  readonly clients: ClientModel[];
  readonly members: MemberModel[];
  /** A program of the operator that may see and change the catalogue. */
  readonly commercial: { readonly id: string; readonly token: string };
  catalogue: CatalogueModel;
  /** The version of the catalogue that is live, and all that have been. */
  live: number;
  readonly published: { readonly version: number; readonly catalogue: CatalogueModel }[];
  readonly checks: CitedCheck[];
  readonly requests: RequestModel[];
  readonly quotes: QuoteModel[];
  readonly watches: WatchModel[];
  /** The watches that a message has reported as served. */
  readonly served: number[];
  readonly events: EventModel[];
  /** Words that were erased. */
  readonly erased: string[];
  /** The entries of the audit trail about staff, clients, tokens and the catalogue: subject, action and actor. */
  readonly audit: string[];
}

/** What the answer to a request must be. */
export interface Expected {
  readonly status: number;
  /** Of a problem. */
  readonly code?: string;
  /** Other problems that the same request deserves: the documents do not say which one comes first. */
  readonly orCode?: readonly string[];
  /** Properties of the body. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** What else must hold. @returns differences */
  readonly also?: (body: unknown) => readonly string[];
  /** Takes new ids from the answer. */
  readonly learn?: (body: Record<string, unknown>) => void;
}

export function refused(status: number, code: string, ...orCode: string[]): Expected {
  return { status, code, orCode };
}

export const instant = (at: number) => new Date(at).toISOString();
export const instantOrNull = (at: number | null) => (at === null ? null : instant(at));

export const isOpen = ({ state }: Progress) =>
  ['waiting', 'in_progress', 'scheduled', 'offered'].includes(state);
export const isTaken = ({ state }: Progress) =>
  ['in_progress', 'scheduled', 'offered'].includes(state);
/** Whether no one has settled what the client wrote or amended. */
export const isUnread = ({ nextActionReason }: Progress) =>
  nextActionReason === 'client_wrote' || nextActionReason === 'amended';
export const isManager = ({ role }: MemberModel) => role !== 'agent';

/** The members with whose eyes lists and reports are compared: they stay as they are. */
export const [AGENT, MANAGER] = [0, 3] as const;

export const SERVICE = 'The service';
export const OPERATOR = 'command line';

/** One entry for each change, with its actor. */
export function audited(model: Model, entry: string, actor = OPERATOR): void {
  model.audit.push(`${entry} ${actor}`);
}

/** The owner, unless they have left. */
export const workingOwner = ({ members }: Model, { owner }: Progress) =>
  owner !== null && members[owner]!.isEnabled ? owner : null;

/** The state that the client sees. */
export function publicStateOf({ kind, state, closeReason }: RequestModel): string {
  switch (state) {
    case 'waiting':
      return 'acknowledged';
    case 'in_progress':
    case 'scheduled':
      return 'inProgress';
    case 'offered':
      return 'offered';
    case 'won':
      return 'accepted';
    case 'cancelled':
      return 'cancelled';
    case 'duplicate':
      return kind === 'order' ? 'closed' : 'cancelled';
    case 'lost':
      if (kind === 'enquiry') {
        if (closeReason === 'declined') return 'declined';
        return closeReason === 'offer_expired' ? 'expired' : 'unableToProvide';
      }
      return ['not_serviceable', 'invalid_details'].includes(closeReason ?? '')
        ? 'rejected'
        : 'closed';
  }
}

const publicReasons: Readonly<Record<string, string>> = {
  not_serviceable: 'notServiceable',
  invalid_details: 'invalidDetails',
};

/** Adds the change of the public state, if it is one. @param byClient whether the client wants it cancelled */
export function showChange(request: RequestModel, now: number, byClient: boolean): boolean {
  const state = publicStateOf(request);
  if (request.changes.at(-1)?.state === state) return false;
  const reason = publicReasons[request.closeReason ?? ''];
  request.changes.push({
    state,
    at: instant(now),
    ...(state === 'rejected' && reason && { reason }),
    ...(state === 'unableToProvide' && { reason: reason ?? 'other' }),
    ...(state === 'cancelled' && { cancelledBy: byClient ? 'client' : 'operator' }),
  });
  return true;
}

/** The columns that a move can change. */
export function progressOf(request: RequestModel): Progress {
  return {
    state: request.state,
    owner: request.owner,
    contactAttempts: request.contactAttempts,
    firstContactAt: request.firstContactAt,
    lastContactAt: request.lastContactAt,
    nextActionAt: request.nextActionAt,
    nextActionReason: request.nextActionReason,
    closedAt: request.closedAt,
    closeReason: request.closeReason,
    duplicateOf: request.duplicateOf,
    externalReference: request.externalReference,
    confirmed: request.confirmed,
    woken: request.woken,
  };
}

import type { Side } from '../../platform/database/sides.js';
import { Injectable } from '@nestjs/common';
import type { Postcode } from '../../platform/kernel/postcode.js';
import { Clock } from '../../platform/kernel/clock.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import { newId } from '../../platform/database/new-id.js';
import { SandboxService } from '../../catalogue/sandbox/sandbox.service.js';
import {
  AlreadyRunning,
  REQUEST_DEADLINE,
  Transactions,
} from '../../platform/database/transactions.js';
import { DeadlinesService } from './deadlines.service.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { fingerprintOf, type Replayed, storedKey } from './idempotency.js';
import type { WorkKind } from '../record/order-states.js';
import { nextDueOf, type Order } from '../record/order.entity.js';
import { OrderChangesService } from '../moves/order-changes.service.js';
import { untouched } from '../moves/plan-move.js';
import { OrderIntakeService } from './order-intake.service.js';
import type { EnquiryAcknowledgement, EnquiryRequest } from '../record/enquiries.dto.js';
import type { OrderAcknowledgement, OrderRequest, RequestOfClient } from '../record/orders.dto.js';
import { newReference, withFreshReferences } from '../record/references.js';
import { IdempotencyKeyReused, RequestInProgress } from '../record/orders.errors.js';
import { nextInWords, type Placing } from './ordering-client.js';
import { mergedDetails, requireInterconnect } from '../record/site-details.dto.js';
import { OpenRequestsService } from './open-requests.service.js';
import { TermsService } from './terms.service.js';
import { offeredProduct } from '../../catalogue/content/offers.js';
import { orderedColumns, wantedColumns } from './request-columns.js';

export type PlacedOrder = OrderAcknowledgement & Replayed;
export type PlacedEnquiry = EnquiryAcknowledgement & Replayed;

/** What the client has sent, with its place. */
export interface NewRequest {
  readonly kind: WorkKind;
  readonly body: RequestOfClient;
  readonly postcode: Postcode;
}

/** The columns of a new order or enquiry that do not depend on what it asks for. */
export type RequestColumns = Omit<Order, RequestedColumn>;
type RequestedColumn =
  | 'uprn'
  | 'productCode'
  | 'productFamily'
  | 'bandwidthMbps'
  | 'terms'
  | 'wanted'
  | 'enquiryId'
  | 'quoteId'
  | 'quoteLine'
  | 'termMonths'
  | 'amountMinor'
  | 'currency'
  | 'basis'
  | 'zone'
  | 'priceList'
  | 'catalogueVersion'
  | 'checkId'
  | 'nearest'
  | 'constraints'
  | 'cancellation'
  | 'acceptExtraMinor'
  | 'expedite';
type RequestedColumns = Pick<Order, RequestedColumn>;

interface PlacingSteps<Answer> {
  /** Finds the columns that depend on what the request asks for. */
  ask(): Promise<RequestedColumns>;
  answer(order: Order, message: string): Answer;
}

/** Places orders and enquiries, once for each idempotency key. */
@Injectable()
export class PlacingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deadlines: DeadlinesService,
    private readonly intake: OrderIntakeService,
    private readonly terms: TermsService,
    private readonly openRequests: OpenRequestsService,
    private readonly changes: OrderChangesService,
    private readonly sandbox: SandboxService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an order request. When the promise resolves, key, request, audit entry and notifications are on
   * disk. When it rejects, none of them is, unless the connection was lost during the commit.
   */
  async placeOrder(
    body: OrderRequest,
    key: string | undefined,
    placing: Placing,
  ): Promise<PlacedOrder> {
    const postcode = this.terms.placeOf(body.postcode, placing.client);
    const request = { kind: 'order', body, postcode } as const;
    return this.place(request, key, placing, {
      ask: () => this.ordered(body, postcode, placing),
      answer: ({ id: orderId }, message) => ({ message, orderId }),
    });
  }

  /** Stores an enquiry, as `placeOrder`. */
  async placeEnquiry(
    body: EnquiryRequest,
    key: string | undefined,
    placing: Placing,
  ): Promise<PlacedEnquiry> {
    const postcode = this.terms.placeOf(body.postcode, placing.client);
    const request = { kind: 'enquiry', body, postcode } as const;
    return this.place(request, key, placing, {
      ask: () => this.wanted(body, postcode, placing),
      answer: ({ id: enquiryId }, message) => ({ message, enquiryId }),
    });
  }

  private async place<Answer extends object>(
    request: NewRequest,
    key: string | undefined,
    placing: Placing,
    steps: PlacingSteps<Answer>,
  ): Promise<Answer & Replayed> {
    const stored = key === undefined ? undefined : storedKey(key, placing.client);
    const store = () => this.placeInTime(request, stored, placing, steps);
    const placed = await this.transactions.within(REQUEST_DEADLINE, store);
    await this.sandbox.delay(request.postcode);
    if (!placed.replayed) this.openRequests.add(placing);
    return placed;
  }

  private async placeInTime<Answer extends object>(
    request: NewRequest,
    key: string | undefined,
    placing: Placing,
    steps: PlacingSteps<Answer>,
  ): Promise<Answer & Replayed> {
    const { client } = placing;
    const fingerprint = key === undefined ? '' : fingerprintOfRequest(request);
    const columns = await steps
      .ask()
      .catch((refusal: unknown) => this.earlierOr(refusal, client.clientId, key));
    if (columns instanceof IdempotencyKey) return replay<Answer>(columns, fingerprint);
    const store = async () => {
      const order = { ...columns, ...this.columnsOf(request, placing) };
      const answer = steps.answer(order, messageOf(order, client));
      const repeatable = key === undefined ? undefined : { key, fingerprint, answer };
      const outcome = await this.intake.store(order, placing, repeatable);
      return outcome === 'stored'
        ? { ...answer, replayed: false }
        : replay<Answer>(outcome, fingerprint);
    };
    const placed = await withFreshReferences(store).catch((error: unknown) => {
      throw error instanceof AlreadyRunning ? new RequestInProgress() : error;
    });
    if (!placed.replayed) this.changes.notifyPages(client);
    return placed;
  }

  /**
   * A retry gets the first answer, whatever is sold by now. Only a refused request looks for it: for the
   * others, the transaction that stores them finds the key. A transaction, too: after a failed flush it
   * finds only what is on disk.
   */
  private async earlierOr(refusal: unknown, clientId: string, key: string | undefined) {
    const earlier =
      key === undefined
        ? null
        : await this.transactions.run((tx) => tx.findOneBy(IdempotencyKey, { clientId, key }));
    if (earlier) return earlier;
    throw refusal;
  }

  private async ordered(
    body: OrderRequest,
    postcode: Postcode,
    placing: Placing,
  ): Promise<RequestedColumns> {
    this.openRequests.requireRoom(placing);
    const { client } = placing;
    const { productCode, uprn, checkId, details } = body;
    const terms = await this.terms.for(
      { postcode, uprn: parseUprn(uprn ?? ''), productCode, checkId: checkId ?? undefined },
      client,
    );
    const { offer } = terms;
    requireInterconnect(details, client, offer.needsInterconnect);
    return {
      ...orderedColumns(offeredProduct(offer), { ...offer, ...terms }, body),
      uprn: terms.uprn,
      checkId: terms.checkId,
      enquiryId: null,
      quoteId: null,
      quoteLine: null,
    };
  }

  private async wanted(
    { wanted, uprn, checkId, details }: EnquiryRequest,
    postcode: Postcode,
    placing: Placing,
  ): Promise<RequestedColumns> {
    this.openRequests.requireRoom(placing);
    const { client } = placing;
    requireInterconnect(details, client, false);
    const { bandwidth = null, term = null, description = null } = wanted ?? {};
    const place = await this.terms.placeOfEnquiry(
      { postcode, uprn: parseUprn(uprn ?? ''), checkId: checkId ?? undefined },
      client,
    );
    const { priceList } = client;
    return {
      ...wantedColumns({ bandwidth, term, description }, { ...place, priceList }),
      uprn: place.uprn,
      checkId: place.checkId,
      enquiryId: null,
      quoteId: null,
      quoteLine: null,
    };
  }

  /** The columns of a new request, which waits. */
  columnsOf(
    { kind, body, postcode }: NewRequest,
    { client, actor, source }: Placing,
  ): RequestColumns {
    const receivedAt = this.clock.now();
    const deadline = this.deadlines.firstContact(receivedAt);
    const columns = {
      id: newId(),
      kind,
      reference: newReference(kind),
      clientId: client.clientId,
      clientReference: body.reference ?? null,
      postcode: postcode.unit,
      area: postcode.area,
      contactName: body.contact?.name ?? null,
      contactEmail: body.contact?.email ?? null,
      contactPhone: body.contact?.phone ?? null,
      notes: body.notes ?? null,
      details: mergedDetails(body.details),
      preferredDays: null,
      amendments: null,
      possibleDuplicateOf: null,
      receivedAt,
      ...deadline,
      ...untouched,
      ...(source === 'telephone' && takenBy(actor.id, receivedAt)),
      publicStateAt: receivedAt,
      lastEntryAt: receivedAt,
    };
    return { ...columns, nextDueAt: nextDueOf(columns) };
  }
}

/** That of an enquiry differs from that of an order with the same fields. */
function fingerprintOfRequest({ kind, body, postcode }: NewRequest): string {
  const request = { ...body, postcode: postcode.unit, uprn: parseUprn(body.uprn ?? '') };
  return fingerprintOf(kind === 'order' ? request : { ...request, kind });
}

/** The progress of an order taken on the phone: it belongs to the person who has just spoken to the client. */
function takenBy(ownerId: string | null, at: Date): Partial<Order> {
  const contact = { firstContactAt: at, lastContactAt: at, contactAttempts: 1 };
  return { state: 'in_progress', ownerId, claimedAt: at, ...contact };
}

const what: Readonly<Record<WorkKind, string>> = {
  order: 'order request',
  enquiry: 'enquiry',
};

export function messageOf({ kind, reference }: Order, side: Side): string {
  return `Your ${what[kind]} was received. Its reference is ${reference}. ${nextInWords(side, 'It')}`;
}

/** A key is of an order or of an enquiry: its fingerprint says which answer it has. */
function replay<Answer>(earlier: IdempotencyKey, fingerprint: string): Answer & Replayed {
  if (earlier.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
  return { ...(earlier.answer as Answer), replayed: true };
}

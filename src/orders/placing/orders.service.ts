import { Injectable } from '@nestjs/common';
import { familyOf, offeredProduct } from '../../catalogue/content/offers.js';
import { Clock } from '../../kernel/clock.js';
import { randomCrockford } from '../../kernel/crockford.js';
import { isUniqueViolation } from '../../database/errors.js';
import type { Postcode } from '../../kernel/postcode.js';
import { parseUprn } from '../../kernel/uprn.js';
import { newId } from '../../database/new-id.js';
import { AlreadyRunning, Transactions } from '../../database/transactions.js';
import { DeadlinesService } from './deadlines.service.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { fingerprintOf, testKey } from './idempotency.js';
import type { Order } from '../order.entity.js';
import { minorUnitsOf } from '../charges/charges.errors.js';
import { OrderChangesService } from '../moves/order-changes.service.js';
import { OrderIntakeService } from './order-intake.service.js';
import type { OrderAcknowledgement, OrderRequest } from '../orders.dto.js';
import { IdempotencyKeyReused, RequestInProgress } from '../orders.errors.js';
import type { OrderingClient, Placing } from './ordering-client.js';
import { TermsService } from './terms.service.js';

/** A reference has 30 random bits: with a million orders, one new reference in a thousand is taken. */
const MOST_ATTEMPTS = 5;
/** Milliseconds for all database work of an order; after that, the response is 503. */
const LONGEST = 2_000;

export interface PlacedOrder extends OrderAcknowledgement {
  /** This repeats the response to the first request with the same key. */
  readonly replayed: boolean;
}

@Injectable()
export class OrdersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly terms: TermsService,
    private readonly deadlines: DeadlinesService,
    private readonly intake: OrderIntakeService,
    private readonly changes: OrderChangesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an order request. When the promise resolves, key, order, audit entry and notifications
   * are on disk. When it rejects, none of them is, unless the connection was lost during the commit.
   */
  async place(
    request: OrderRequest,
    key: string | undefined,
    placing: Placing,
  ): Promise<PlacedOrder> {
    const { client } = placing;
    const postcode = await this.terms.placeOf(request.postcode, client);
    const known = key !== undefined && client.isTest ? testKey(key) : key;
    return this.transactions.within(LONGEST, () =>
      this.placeInTime(request, postcode, known, placing),
    );
  }

  private async placeInTime(
    request: OrderRequest,
    postcode: Postcode,
    key: string | undefined,
    placing: Placing,
  ): Promise<PlacedOrder> {
    const { client } = placing;
    const { clientId } = client;
    let fingerprint = '';
    if (key !== undefined) {
      const uprn = parseUprn(request.uprn ?? '');
      fingerprint = fingerprintOf({ ...request, postcode: postcode.unit, uprn });
      const earlier = await this.transactions.read((tx) =>
        tx.findOneBy(IdempotencyKey, { clientId, key }),
      );
      if (earlier) return replay(earlier, fingerprint);
    }
    const order = await this.compose(request, postcode, placing);
    const placed = await this.withFreshReference(order, async () => {
      const message = messageOf(order, client);
      const repeatable = key === undefined ? undefined : { key, fingerprint, message };
      const outcome = await this.intake.store(order, placing, repeatable);
      return outcome === 'stored'
        ? { message, orderId: order.id, replayed: false }
        : replay(outcome, fingerprint);
    });
    if (!client.isTest) this.changes.tell();
    return placed;
  }

  private async compose(
    request: OrderRequest,
    postcode: Postcode,
    { client, actor, source }: Placing,
  ): Promise<Order> {
    const { productCode } = request;
    const { offer, uprn, catalogueVersion, checkId } = await this.terms.for(
      {
        postcode,
        uprn: parseUprn(request.uprn ?? ''),
        productCode,
        checkId: request.checkId ?? undefined,
      },
      client,
    );
    const receivedAt = this.clock.now();
    const deadline = this.deadlines.firstContact(receivedAt);
    return {
      id: newId(),
      ...newReference(),
      clientId: client.clientId,
      clientReference: request.reference ?? null,
      postcode: postcode.unit,
      uprn,
      area: postcode.area,
      productCode: offer.productCode,
      productFamily: familyOf(offer.productCode),
      bandwidthMbps: Math.round(offer.bandwidthProvisioned * 1_000),
      terms: offeredProduct(offer),
      termMonths: offer.term,
      amountMinor: offer.amountMinor,
      currency: offer.currency,
      basis: offer.basis,
      zone: offer.zone,
      priceList: offer.priceList,
      catalogueVersion,
      checkId,
      contactName: request.contact?.name ?? null,
      contactEmail: request.contact?.email ?? null,
      contactPhone: request.contact?.phone ?? null,
      notes: request.notes ?? null,
      acceptExtraMinor: acceptedExtra(request, offer.currency),
      possibleDuplicateOf: null,
      receivedAt,
      ...deadline,
      nextDueAt: deadline.firstContactDueAt,
      ...untouched,
      ...(source === 'telephone' && takenBy(actor.id, receivedAt)),
      publicStateAt: receivedAt,
      lastEntryAt: receivedAt,
    };
  }

  /** Retries with another reference if the first one is taken. */
  private async withFreshReference(
    order: Order,
    store: () => Promise<PlacedOrder>,
  ): Promise<PlacedOrder> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store();
      } catch (error) {
        if (error instanceof AlreadyRunning) throw new RequestInProgress();
        if (!isUniqueViolation(error) || attempt === MOST_ATTEMPTS) throw error;
        Object.assign(order, newReference());
      }
    }
  }
}

function acceptedExtra({ acceptExtraUpTo }: OrderRequest, currency: string): number | null {
  const most = acceptExtraUpTo ?? null;
  return most === null ? null : minorUnitsOf(most, currency, '/acceptExtraUpTo');
}

/** The progress of a new order. */
const untouched = {
  state: 'waiting',
  ownerId: null,
  claimedAt: null,
  firstContactAt: null,
  lastContactAt: null,
  contactAttempts: 0,
  nextActionAt: null,
  nextActionReason: null,
  closedAt: null,
  closeReason: null,
  externalReference: null,
  duplicateOf: null,
  reopenings: 0,
  version: 0,
} as const satisfies Partial<Order>;

/** The progress of an order taken on the phone: it belongs to the person who has just spoken to the client. */
function takenBy(ownerId: string | null, at: Date): Partial<Order> {
  const contact = { firstContactAt: at, lastContactAt: at, contactAttempts: 1 };
  return { state: 'in_progress', ownerId, claimedAt: at, ...contact };
}

function newReference(): Pick<Order, 'reference' | 'reversedCode'> {
  const code = randomCrockford(6);
  return { reference: `ORD-${code}`, reversedCode: [...code].reverse().join('') };
}

function messageOf({ reference }: Order, { isTest }: OrderingClient): string {
  return `Your order request was received. Its reference is ${reference}. ${isTest ? 'It is a test: no one will contact you.' : 'A member of our team will contact you.'}`;
}

function replay(earlier: IdempotencyKey, fingerprint: string): PlacedOrder {
  if (earlier.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
  return { message: earlier.message, orderId: earlier.orderId, replayed: true };
}

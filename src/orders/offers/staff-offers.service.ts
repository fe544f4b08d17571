import type { FieldError } from '../../platform/problems/problem.js';
import { Injectable } from '@nestjs/common';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import type { BuildBandRow } from '../../catalogue/content/band-fields.js';
import { completed, offeredProduct } from '../../catalogue/content/offers.js';
import { marginInWords } from '../../catalogue/content/review/margins.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { AcceptanceService } from './acceptance.service.js';
import { ApprovalService, wantedOffer } from './approval.service.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { isLive } from '../record/offer-states.js';
import { dayAfter, endOfValidity, USUAL_VALIDITY } from './offer-rules.js';
import { OffersService } from './offers.service.js';
import { Order, type Wanted } from '../record/order.entity.js';
import { liveOrders } from '../record/order-tables.js';
import { EnquiryNotFound } from '../record/orders.errors.js';
import { DeadlinesService } from '../placing/deadlines.service.js';
import { placeOfOrder } from '../../catalogue/shown/shown.service.js';
import { moverOf } from '../staff/order-actions.service.js';
import { printOrders, printOffers } from '../staff/print-order.js';
import type { Answer, AnswerDecision } from './staff-offers.dto.js';
import type { FollowUpOrder, StaffOffer } from '../staff/follow-up.dto.js';

/** Offers of which the approvals are shown. */
const MOST_AWAITED = 1_000;
/** Answers. */
const MOST_SHOWN = 200;

/** An answer that waits for approval. */
export interface AwaitedAnswer {
  readonly enquiry: FollowUpOrder;
  /** Its number. */
  readonly answer: number;
  readonly offers: readonly StaffOffer[];
}

/** What the form of an answer starts from. */
export interface AnswerStart {
  readonly wanted: Pick<Wanted, 'bandwidth' | 'term'>;
  /** What the catalogue sells at the place, if it is exactly what is wanted. */
  readonly sold: OfferedProduct | null;
  /** What building to the place adds, where it is priced by distance. */
  readonly band: Pick<BuildBandRow, 'addSetup' | 'addLeadTimeDays' | 'basis'> | null;
  /** The offers of the last answer, if it has ended before the client could see it. */
  readonly unseen: readonly { readonly product: OfferedProduct; readonly note: string | null }[];
  /** The last day of an offer whose author names none. */
  readonly validUntil: string;
}

/** Cost and margin in words, by the id of the offer. */
export type OfferMargins = ReadonlyMap<string, string>;

interface OffersWithMargins {
  readonly offers: readonly StaffOffer[];
  readonly listPrices: OfferMargins;
  readonly margins: OfferMargins;
}

/** Offers as staff see them, and what staff do with them. */
@Injectable()
export class StaffOffersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly offers: OffersService,
    private readonly acceptance: AcceptanceService,
    private readonly approval: ApprovalService,
    private readonly catalogue: CatalogueService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
  ) {}

  /** What a new answer starts from. @throws {EnquiryNotFound} */
  async start(enquiryId: string): Promise<AnswerStart> {
    const { enquiry, offers } = await this.transactions.read(async (tx) => ({
      enquiry: await enquiryOf(tx, enquiryId),
      offers: await tx.find(BespokeOffer, { where: { enquiryId }, order: { id: 'ASC' } }),
    }));
    const now = this.clock.now();
    const last = endOfValidity(dayAfter(now, USUAL_VALIDITY), this.deadlines.calendar);
    const { bandwidth = null, term = null } = enquiry.wanted ?? {};
    const { current } = this.catalogue;
    const place = placeOfOrder(enquiry, current, now.getTime());
    const sold = wantedOffer(place.offers.list, bandwidth, term);
    const latest = offers.filter(({ answer }) => answer === offers.at(-1)!.answer);
    const isUnseen = latest.every(({ state, openedAt }) => openedAt === null && !isLive(state));
    return {
      wanted: { bandwidth, term },
      sold: sold ? offeredProduct(sold) : null,
      band: current.bandAt(place.near) ?? null,
      unseen: isUnseen
        ? latest.map(({ terms, note }) => ({ product: completed(terms), note }))
        : [],
      validUntil: londonDay(last),
    };
  }

  /**
   * The offers of an answer as `send` would store them.
   * @throws {EnquiryNotFound | OrderMoved | NotPermitted | ValidationFailed}
   */
  async preview(
    orderId: string,
    { version, offers }: Answer,
    caller: StaffCaller,
  ): Promise<OffersWithMargins> {
    const costs = await this.costsOf(orderId, offers);
    return this.transactions.run(async (all) => {
      const tx = liveOrders(all);
      const seen = { orderId, version };
      const mover = staffMover(caller);
      const { locked, rows } = await this.offers.compose(tx, seen, offers, mover, costs);
      const printed = await printOffers(tx, [locked.enquiry], rows, this.clock.now());
      const listPrices = this.listPricesOf([locked.enquiry], rows);
      return { offers: printed, margins: marginsOf(rows, caller), listPrices };
    });
  }

  /** Cost and margin of offers in words, for those who may see margins. */
  margins(offers: readonly StaffOffer[], caller: StaffCaller): Promise<OfferMargins> {
    const ids = offers.map(({ offerId }) => offerId);
    if (ids.length === 0 || !caller.scopes.has('margins:read')) return Promise.resolve(new Map());
    return this.transactions.read(async (tx) =>
      marginsOf(await tx.findBy(BespokeOffer, { id: oneOf(ids) }), caller),
    );
  }

  /** The list price of offers, and how far they are from it, in words. */
  async listPrices(offers: readonly StaffOffer[]): Promise<OfferMargins> {
    const ids = offers.map(({ offerId }) => offerId);
    if (ids.length === 0) return new Map();
    const { enquiries, rows } = await this.transactions.read(async (tx) => {
      const rows = await tx.findBy(BespokeOffer, { id: oneOf(ids) });
      const enquiryIds = new Set(rows.map(({ enquiryId }) => enquiryId));
      return { rows, enquiries: await tx.findBy(Order, { id: oneOf(enquiryIds) }) };
    });
    return this.listPricesOf(enquiries, rows);
  }

  private listPricesOf(enquiries: readonly Order[], rows: readonly BespokeOffer[]): OfferMargins {
    const byId = new Map(enquiries.map((enquiry) => [enquiry.id, enquiry]));
    return new Map(
      rows.map(({ id, enquiryId, terms }) => [
        id,
        this.approval.listPriceInWords(byId.get(enquiryId)!, terms),
      ]),
    );
  }

  /** What `send` would refuse for every enquiry, beyond the rules of single fields. */
  faultsIn(offers: Answer['offers']): FieldError[] {
    return this.offers.faultsIn(offers);
  }

  /** @throws {ValidationFailed} as `send` would */
  check(offers: Answer['offers']): void {
    this.offers.check(offers);
  }

  private async costsOf(orderId: string, offers: Answer['offers']) {
    const enquiry = await this.transactions.read((tx) => enquiryOf(tx, orderId));
    return this.approval.costsOf(enquiry, offers);
  }

  /**
   * @returns whether someone has to approve it
   * @throws {EnquiryNotFound | OrderMoved | NotPermitted | ValidationFailed}
   */
  async send(orderId: string, { version, offers }: Answer, caller: StaffCaller): Promise<boolean> {
    const costs = await this.costsOf(orderId, offers);
    return this.offers.send({ orderId, version }, offers, staffMover(caller), costs);
  }

  /** @throws {EnquiryNotFound | NotPermitted | EnquiryMoved | OfferExpired | OrderMoved} */
  approve(orderId: string, answer: number, caller: StaffCaller): Promise<void> {
    return this.offers.approve(orderId, answer, staffMover(caller));
  }

  /** @throws {EnquiryNotFound | NotPermitted | EnquiryMoved} */
  refuse(orderId: string, answer: number, reason: string, caller: StaffCaller): Promise<void> {
    return this.offers.refuse(orderId, answer, reason, staffMover(caller));
  }

  /** Approves or refuses an answer. @throws as `approve` and `refuse` */
  decide(
    orderId: string,
    answer: number,
    { approve, reason }: AnswerDecision,
    caller: StaffCaller,
  ): Promise<void> {
    return approve
      ? this.approve(orderId, answer, caller)
      : this.refuse(orderId, answer, reason ?? '', caller);
  }

  /** @throws {EnquiryNotFound | OfferNotFound | NotPermitted | EnquiryMoved} */
  withdraw(
    orderId: string,
    offerId: string,
    note: string | undefined,
    caller: StaffCaller,
  ): Promise<void> {
    return this.offers.withdraw(orderId, offerId, note, staffMover(caller));
  }

  /**
   * @returns the id of the order
   * @throws {EnquiryNotFound | OfferNotFound | NotPermitted | EnquiryMoved | OfferExpired | OfferWithdrawn}
   */
  async recordAcceptance(
    orderId: string,
    offerId: string,
    by: string,
    caller: StaffCaller,
  ): Promise<string> {
    const mover = staffMover(caller);
    return (await this.acceptance.recordAcceptance(orderId, offerId, by, mover)).orderId;
  }

  /** Of enquiries that have not ended. */
  awaited(): Promise<AwaitedAnswer[]> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const offers = await tx
        .createQueryBuilder(BespokeOffer, 'f')
        .innerJoin(Order, 'o', 'o.id = f.enquiryId AND o.closedAt IS NULL')
        // A literal, for the partial index.
        .where(`f.endedAt IS NULL AND f.state = 'awaitingApproval'`)
        .orderBy('f.id', 'ASC')
        .limit(MOST_AWAITED)
        .getMany();
      const ids = [...new Set(offers.map(({ enquiryId }) => enquiryId))];
      const enquiries = ids.length === 0 ? [] : await tx.findBy(Order, { id: oneOf(ids) });
      const printed = await printOrders(tx, enquiries, now);
      const shown = await printOffers(tx, enquiries, offers, now);
      const items = ids.map((id): AwaitedAnswer => {
        const answers = shown.filter((_, i) => offers[i]!.enquiryId === id);
        const enquiry = printed.find(({ orderId }) => orderId === id)!;
        return { enquiry, answer: answers[0]!.answer, offers: answers };
      });
      return items.slice(0, MOST_SHOWN);
    });
  }
}

async function enquiryOf(tx: Tx, id: string): Promise<Order> {
  const enquiry = await tx.findOneBy(Order, { id, kind: 'enquiry' });
  if (enquiry) return enquiry;
  throw new EnquiryNotFound();
}

function marginsOf(offers: readonly BespokeOffer[], { scopes }: StaffCaller): OfferMargins {
  if (!scopes.has('margins:read')) return new Map();
  return new Map(
    offers.flatMap(({ id, costMinor, monthlyMinor, currency }) =>
      costMinor === null ? [] : [[id, marginInWords(monthlyMinor, costMinor, currency)] as const],
    ),
  );
}

function staffMover(caller: StaffCaller) {
  const mover = moverOf(caller);
  if (mover.kind !== 'staff') throw new TypeError('Only staff answer enquiries.');
  return mover;
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '../../platform/audit/audit.service.js';
import { addRows } from '../../platform/database/engine/rows.js';
import { newId } from '../../platform/database/new-id.js';
import type { SupplierCost } from '../../catalogue/content/review/margins.js';
import { Clock } from '../../platform/kernel/clock.js';
import { randomCrockford } from '../../platform/kernel/crockford.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { type FieldError, ValidationFailed } from '../../platform/problems/problem.js';
import { moveRefused, orderMoved, refusalOf } from '../moves/plan-move.js';
import { MovesService } from '../moves/moves.service.js';
import type { StaffMover } from '../moves/move-contents.js';
import { NotPermitted } from '../record/orders.errors.js';
import type { OrdersTx } from '../record/order-tables.js';
import { DeadlinesService } from '../placing/deadlines.service.js';
import { ApprovalService } from './approval.service.js';
import type { BespokeOffer } from '../record/bespoke-offer.entity.js';
import {
  bespokeProduct,
  type BespokeLine,
  lineFaults,
  minorUnits,
} from '../record/bespoke-terms.js';
import { withFreshReferences } from '../record/references.js';
import {
  codesOf,
  OfferChangesService,
  type OfferedEnquiry,
  refuseOthers,
} from './offer-changes.service.js';
import {
  changesBy,
  isRefused,
  type OfferRefusal,
  outcomeOf,
  dayAfter,
  endOfValidity,
  LONGEST_VALIDITY,
  USUAL_VALIDITY,
} from './offer-rules.js';
import type { OfferState } from '../record/offer-states.js';
import { EnquiryMoved, OfferExpired, OfferNotFound } from './offers.errors.js';
import { mustHold, offerRules } from '../record/money-rules.js';

/** One offer of an answer. */
export interface OfferLine extends BespokeLine {
  /** The last day, as `2026-12-25`; 30 days by default. */
  readonly validUntil?: string | undefined;
  /** For the client. */
  readonly note?: string | undefined;
}

/** The enquiry as the author saw it. */
interface SeenEnquiry {
  readonly orderId: string;
  readonly version: number;
}

/** What staff do with the offers of an enquiry. */
@Injectable()
export class OffersService {
  constructor(
    private readonly moves: MovesService,
    private readonly changes: OfferChangesService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
    private readonly approval: ApprovalService,
  ) {}

  /**
   * Sends an answer of one to five offers, which replaces what was open before. If one of them needs
   * approval, all of them wait for a manager.
   * @throws {EnquiryNotFound | OrderMoved | NotPermitted | ValidationFailed}
   */
  async send(
    seen: SeenEnquiry,
    lines: readonly OfferLine[],
    author: StaffMover,
    costs: readonly (SupplierCost | null)[] = [],
  ): Promise<boolean> {
    return withFreshReferences(() =>
      this.moves.run(async (tx) => {
        const { locked, rows } = await this.compose(tx, seen, lines, author, costs);
        return this.add(tx, locked, rows, author);
      }),
    );
  }

  /**
   * The offers of an answer as `send` would store them, and whether they would need approval.
   * @param costs see `ApprovalService.costsOf`
   * @throws {EnquiryNotFound | OrderMoved | NotPermitted | ValidationFailed}
   */
  async compose(
    tx: OrdersTx,
    { orderId, version }: SeenEnquiry,
    lines: readonly OfferLine[],
    author: StaffMover,
    costs: readonly (SupplierCost | null)[],
  ): Promise<{ readonly locked: OfferedEnquiry; readonly rows: BespokeOffer[] }> {
    this.check(lines);
    const locked = await this.changes.lock(tx, orderId);
    const { enquiry, offers } = locked;
    if (enquiry.version !== version) throw await orderMoved(tx, enquiry);
    const refusal = refusalOf(enquiry, 'offer', author, this.clock.now());
    if (refusal?.refused === 'state') throw await orderMoved(tx, enquiry, refusal.detail);
    if (refusal) throw moveRefused(refusal);
    const answer = Math.max(0, ...offers.map((offer) => offer.answer)) + 1;
    const about = { enquiryId: enquiry.id, answer, createdBy: author.id };
    const rows = lines.map((line, i) => {
      const row = this.offerOf(line, about);
      return { ...row, ...this.approval.judge(enquiry, row.terms, costs[i] ?? null) };
    });
    return { locked, rows };
  }

  /** Adds the offers of an answer, and sends them unless someone has to approve them. @returns whether someone has to */
  async add(
    tx: OrdersTx,
    locked: OfferedEnquiry,
    rows: readonly BespokeOffer[],
    author: StaffMover,
  ): Promise<boolean> {
    const now = this.clock.now();
    const isAwaiting = rows.some(({ approvalReason }) => approvalReason !== null);
    const action = { name: 'send', needsApproval: isAwaiting } as const;
    const replaced = changesBy(locked.offers, action, now);
    if (isRefused(replaced)) throw refused(replaced.refused, locked);
    await this.changes.store(tx, locked, replaced);
    const added = rows.map((row): BespokeOffer =>
      isAwaiting
        ? { ...row, state: 'awaitingApproval', openedAt: null }
        : { ...row, state: 'open', openedAt: now },
    );
    for (const row of added) mustHold(offerRules, row, row.reference);
    await addRows(tx, tx.offers, added);
    const offer = codesOf(added);
    if (isAwaiting) {
      await this.changes.record(tx, locked, 'offer_submitted', actorOf(author), { offer });
      // Another answer to what its author saw before, or the same one again, does not replace this one.
      const { id, version } = locked.enquiry;
      await tx.update(tx.orders, { id }, { version: version + 1 });
      await this.changes.askApproval(tx, locked);
      return true;
    }
    const moved = await this.changes.move(tx, locked, { name: 'offer', offer }, author);
    const before = [...stored(locked.offers, replaced), ...added.map(takenBack)];
    await this.changes.announce(tx, moved, added, before);
    return false;
  }

  /**
   * Approves the offers of an answer that wait for it: the client sees them.
   * @throws {EnquiryNotFound | NotPermitted | EnquiryMoved | OfferExpired | OrderMoved}
   */
  approve(enquiryId: string, answer: number, manager: StaffMover): Promise<void> {
    return this.decide(enquiryId, { name: 'approve', answer, by: manager.id }, manager);
  }

  /**
   * Refuses the offers of an answer that wait for approval.
   * @throws {EnquiryNotFound | NotPermitted | EnquiryMoved}
   */
  refuse(enquiryId: string, answer: number, reason: string, manager: StaffMover): Promise<void> {
    return this.decide(enquiryId, { name: 'refuse', answer, by: manager.id }, manager, reason);
  }

  private decide(
    enquiryId: string,
    action: { name: 'approve' | 'refuse'; answer: number; by: string },
    mover: StaffMover,
    reason?: string,
  ): Promise<void> {
    if (!mover.manager) throw new NotPermitted('Only managers approve or refuse offers.');
    return this.moves.run(async (tx) => {
      const locked = await this.changes.lock(tx, enquiryId);
      refuseClosed(locked.enquiry);
      const changes = changesBy(locked.offers, action, this.clock.now());
      if (isRefused(changes)) throw refused(changes.refused, locked);
      const decided = locked.offers.filter(
        ({ answer, state }) => answer === action.answer && state === 'awaitingApproval',
      );
      const ids = new Set(decided.map(({ id }) => id));
      const after = await this.changes.store(tx, locked, changes, (state) =>
        state === 'open' || state === 'refused' ? { approverId: mover.id } : {},
      );
      const offer = codesOf(decided);
      const isApproved = action.name === 'approve';
      const entry = isApproved ? 'offer_approved' : 'offer_refused';
      const details = { offer, ...(reason !== undefined && { note: reason }) };
      await this.changes.record(tx, locked, entry, actorOf(mover), details);
      if (!isApproved) return;
      const moved = await this.changes.move(tx, locked, { name: 'offer', offer }, mover);
      const opened = after.filter(({ id }) => ids.has(id));
      await this.changes.announce(tx, moved, opened, stored(locked.offers, changes), entry);
    });
  }

  /**
   * Withdraws one offer that is open or waits for approval. By the owner of the enquiry or a manager.
   * @throws {EnquiryNotFound | OfferNotFound | NotPermitted | EnquiryMoved}
   */
  withdraw(
    enquiryId: string,
    offerId: string,
    note: string | undefined,
    staff: StaffMover,
  ): Promise<void> {
    return this.moves.run(async (tx) => {
      const locked = await this.changes.lock(tx, enquiryId);
      const { enquiry, offers } = locked;
      refuseOthers(enquiry, staff, 'withdraw offers');
      refuseClosed(enquiry);
      const action = { name: 'withdraw', offerId } as const;
      const changes = changesBy(offers, action, this.clock.now());
      if (isRefused(changes)) throw refused(changes.refused, locked);
      const after = await this.changes.store(tx, locked, changes);
      const offer = codesOf(offers.filter(({ id }) => id === offerId));
      const details = { offer, ...(note !== undefined && { note }) };
      await this.changes.record(tx, locked, 'offer_withdrawn', actorOf(staff), details);
      if (enquiry.state === 'offered' && outcomeOf(after, action) !== 'stays') {
        await this.changes.move(tx, locked, { name: 'retract' }, staff);
      }
    });
  }

  /** The row of a new offer, without its state. */
  offerOf(
    line: OfferLine,
    about: Pick<BespokeOffer, 'enquiryId' | 'answer' | 'createdBy'>,
  ): BespokeOffer {
    const now = this.clock.now();
    const reference = randomCrockford(6);
    const terms = bespokeProduct(line, reference);
    const { setupPrice, currency } = terms;
    return {
      id: newId(),
      reference,
      ...about,
      state: 'open',
      terms,
      monthlyMinor: minorUnits(terms.price, currency)!,
      setupMinor: setupPrice === null ? null : minorUnits(setupPrice, currency),
      currency,
      termMonths: terms.term,
      validUntil: endOfValidity(
        line.validUntil ?? dayAfter(now, USUAL_VALIDITY),
        this.deadlines.calendar,
      ),
      note: line.note ?? null,
      createdAt: now,
      approvalReason: null,
      costMinor: null,
      openedAt: now,
      approverId: null,
      endedAt: null,
      orderId: null,
    };
  }

  /** @throws {ValidationFailed} with pointers such as `/offers/0/price` */
  check(lines: readonly OfferLine[]): void {
    const faults = this.faultsIn(lines);
    if (faults.length > 0) throw new ValidationFailed(faults);
  }

  /** What the rules of single fields do not say. */
  faultsIn(lines: readonly OfferLine[]): FieldError[] {
    const now = this.clock.now();
    // In the last minute of a day, offers of this day have expired.
    const first = londonDay(new Date(now.getTime() + MINUTE));
    const last = dayAfter(now, LONGEST_VALIDITY);
    return lines.flatMap((line, i) => {
      const { validUntil } = line;
      const isWrong = validUntil !== undefined && (validUntil < first || validUntil > last);
      const detail = `Enter a day from ${first} to ${last}.`;
      return [...lineFaults(line), ...(isWrong ? [{ field: 'validUntil', detail }] : [])].map(
        (fault) => ({
          pointer: `/offers/${i}/${fault.field}`,
          code: 'not-allowed',
          detail: fault.detail,
        }),
      );
    });
  }
}

/** The offers that change, as they were. */
function stored(
  offers: readonly BespokeOffer[],
  changes: ReadonlyMap<string, OfferState>,
): BespokeOffer[] {
  return offers.filter(({ id }) => changes.has(id));
}

/** A new offer as it is once its answer is undone: the client never sees it. */
function takenBack(offer: BespokeOffer): BespokeOffer {
  return { ...offer, state: 'withdrawn', openedAt: null, endedAt: offer.createdAt };
}

function actorOf({ id, name }: StaffMover): Actor {
  return { type: 'staff', id, name };
}

/** Offers end with their enquiry, unless the closing is undone. @throws {EnquiryMoved} */
function refuseClosed({ closedAt, state }: OfferedEnquiry['enquiry']): void {
  if (closedAt === null) return;
  throw new EnquiryMoved(state, 'The enquiry is closed, so its offers have ended.');
}

function refused(refusal: OfferRefusal, { enquiry }: OfferedEnquiry) {
  switch (refusal) {
    case 'unknown':
      return new OfferNotFound();
    case 'own-answer':
      return new NotPermitted('A manager other than the author of these offers has to decide.');
    case 'expired':
      return new OfferExpired();
    case 'not-awaiting':
      return new EnquiryMoved(enquiry.state, 'No offers of this answer wait for approval.');
    case 'not-open':
      return new EnquiryMoved(enquiry.state, 'This offer is no longer open.');
  }
}

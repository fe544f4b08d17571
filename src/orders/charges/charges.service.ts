import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { ClientCaller } from '../../platform/access/caller.js';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { Actor } from '../../platform/audit/audit.service.js';
import { addRows } from '../../platform/database/engine/rows.js';
import { newId } from '../../platform/database/new-id.js';
import { Transactions } from '../../platform/database/transactions.js';
import { ACCEPTED_BY_ANOTHER, mayBindAlone } from '../moves/move-faults.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import { endOfWorkingDay } from '../../platform/kernel/working-hours.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { MovesService } from '../moves/moves.service.js';
import { orderMoved } from '../moves/plan-move.js';
import { stateInfo } from '../record/order-states.js';
import { UNDO_TIME } from '../moves/undo.service.js';
import { isProductOrder, Order, type ProductOrder } from '../record/order.entity.js';
import { type Side, sides, tableOn } from '../../platform/database/sides.js';
import { lockedOrder, type OrdersTx } from '../record/order-tables.js';
import { NotPermitted, OrderNotFound, minorUnitsOf } from '../record/orders.errors.js';
import { DeadlinesService } from '../placing/deadlines.service.js';
import { addWords } from '../record/order-word.entity.js';
import { wordsOf } from '../record/search-words.js';
import { Charge } from '../record/charge.entity.js';
import { type ChargeCategory, chargeStateAt } from '../record/charge-states.js';
import { type ChargedOrder, type ChargeEnd, ChargeStepsService } from './charge-steps.service.js';
import type { ChargeAnswer } from '../record/orders.dto.js';
import { ChargeNotFound, ExtraChargesExcluded } from './charges.errors.js';
import { canHaveCharges } from '../record/print-charge.js';
import { chargeRules, coverRules, mustHold } from '../record/money-rules.js';

/** By default, a client has this many working days for its answer. */
const DAYS_TO_ANSWER = 5;
/** Charges that one run ends. */
const MOST_AT_ONCE = 200;

const service: Actor = { type: 'system', id: null, name: 'The service' };

export interface ChargeProposal {
  readonly category: ChargeCategory;
  /** In major units of the order's currency. */
  readonly amount: number;
  readonly note: string;
  /** By default the end of the fifth working day. */
  readonly dueAt?: Date | undefined;
}

/** Extra charges on orders. Every change locks the row of the order first, so that changes happen in turn. */
@Injectable()
export class ChargesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly steps: ChargeStepsService,
    private readonly deadlines: DeadlinesService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** When a charge that is proposed now is due, unless its proposer says otherwise. */
  usualDueAt(): Date {
    return endOfWorkingDay(this.clock.now(), DAYS_TO_ANSWER, this.deadlines.calendar);
  }

  /**
   * Proposes a charge on an order as its proposer last saw it. If it fits into what is left of
   * `acceptExtraUpTo`, it is accepted at once, unless the proposer took that amount down from a caller.
   * @param acceptedBy the client, if it has accepted this charge already
   * @throws {OrderMoved | ExtraChargesExcluded | ValidationFailed}
   */
  async propose(
    tx: OrdersTx,
    seen: Pick<Order, 'id' | 'version'>,
    proposal: ChargeProposal,
    actor: Actor,
    acceptedBy?: Actor,
  ): Promise<Charge> {
    const stored = await orderFor(tx, { id: seen.id });
    if (stored.version !== seen.version) throw await orderMoved(tx, stored);
    if (!stateInfo[stored.state].owned && !(await isInDelivery(tx, stored))) {
      const detail = 'Only an open order with an owner, or one in delivery, can get extra charges.';
      throw await orderMoved(tx, stored, detail);
    }
    if (!isProductOrder(stored)) {
      throw await orderMoved(tx, stored, 'An enquiry has no extra charges.');
    }
    if (!canHaveCharges(stored) && !isExempt(stored, proposal)) throw new ExtraChargesExcluded();
    const charge = this.compose(stored, proposal, actor);
    const isCovered =
      acceptedBy !== undefined ||
      (charge.category !== 'cancellation' &&
        (await fits(tx, charge, stored)) &&
        !(await tookDown(tx, stored, actor)));
    mustHold(chargeRules, { charge, order: stored }, stored.reference);
    await addRows(tx, tx.charges, [charge]);
    const order = await this.steps.touch(tx, { ...stored, version: stored.version + 1 });
    const charged = { order, charge };
    const { note, dueAt } = charge;
    const about = { note, dueAt, version: order.version };
    await this.steps.record(tx, charged, 'charge_proposed', actor, about);
    await addWords(tx, { orderId: order.id, words: wordsOf(proposal.note) });
    const shown = isCovered ? { ...charge, state: 'accepted' as const } : charge;
    await this.steps.publish(tx, { order, charge: shown }, 'proposed', 'staff');
    if (!isCovered) {
      await this.steps.wait(tx, charged);
      return charge;
    }
    const end: ChargeEnd = {
      move: 'cover',
      mover: 'service',
      actor: acceptedBy ?? service,
      details: { source: 'in advance' },
    };
    const covered = await this.steps.end(tx, charged, end);
    if (acceptedBy === undefined) {
      const acceptedMinor = await acceptedSum(tx, order.id);
      mustHold(coverRules, { order, acceptedMinor }, order.reference);
    }
    return covered.charge;
  }

  /**
   * The client's answer by the API. The first one counts; the same answer again changes nothing.
   * @throws {OrderNotFound | ChargeNotFound | ChargeAnswered}
   */
  async answer(
    orderId: string,
    chargeId: string,
    answer: ChargeAnswer,
    client: ClientCaller,
  ): Promise<void> {
    const where = { id: orderId, clientId: client.clientId };
    await this.moves.runOn(client, async (tx) => {
      const charged = await lockedCharge(tx, where, chargeId);
      if (repeats(charged, answer)) return;
      const order = await this.answerWithin(tx, charged, answer, client);
      await this.steps.bringBack(tx, order, 'charge_answered');
    });
  }

  /** The client's answer, in a transaction of the caller. @throws {ChargeAnswered} */
  async answerWithin(
    tx: OrdersTx,
    charged: ChargedOrder,
    answer: ChargeAnswer,
    { clientId: id, name }: ClientCaller,
  ): Promise<Order> {
    const end: ChargeEnd = {
      ...endOf(answer),
      mover: 'client',
      actor: { type: 'client', id, name },
    };
    return (await this.steps.end(tx, this.asOfNow(charged), end)).order;
  }

  /**
   * The client's answer as a staff member heard it. The proposer alone can bind the client only within the limit for one person.
   * @throws {OrderNotFound | ChargeNotFound | ChargeAnswered | NotPermitted}
   */
  async recordAnswer(
    tx: OrdersTx,
    orderId: string,
    chargeId: string,
    answer: ChargeAnswer,
    actor: Actor,
  ): Promise<void> {
    const charged = await lockedCharge(tx, { id: orderId }, chargeId);
    if (repeats(charged, answer)) return;
    const current = this.asOfNow(charged);
    const { state, proposedBy: authorId, amountMinor, currency } = current.charge;
    const bound = { authorId, amount: majorUnits(amountMinor, currency), currency };
    const mayAccept = mayBindAlone(bound, actor.id ?? '', this.config.acceptanceAloneUpTo);
    if (state === 'awaitingResponse' && answer.accept && !mayAccept) {
      throw new NotPermitted(ACCEPTED_BY_ANOTHER);
    }
    const details = { source: 'telephone' };
    const end: ChargeEnd = { ...endOf(answer), mover: 'staff', actor, details };
    const { order } = await this.steps.end(tx, current, end);
    await this.steps.resume(tx, order);
  }

  /** @throws {OrderNotFound | ChargeNotFound | ChargeAnswered} */
  async withdraw(tx: OrdersTx, orderId: string, chargeId: string, actor: Actor): Promise<void> {
    const charged = await lockedCharge(tx, { id: orderId }, chargeId);
    if (charged.charge.state === 'withdrawn') return;
    const end: ChargeEnd = { move: 'withdraw', mover: 'staff', actor };
    const { order } = await this.steps.end(tx, this.asOfNow(charged), end);
    await this.steps.resume(tx, order);
  }

  /**
   * Ends open charges that are past their due dates, and those of closed orders. Several instances may run
   * at once: each charge ends only once.
   * @returns how many
   */
  async endOverdue(): Promise<number> {
    await this.transactions.refuseClockAhead();
    let ended = 0;
    for (const side of sides) {
      for (const charge of await this.overdue(side)) {
        const done = await this.moves.runOn(side, (tx) => this.endOne(tx, charge));
        if (done) ended += 1;
      }
    }
    return ended;
  }

  private overdue(side: Side): Promise<Charge[]> {
    const now = this.clock.now().getTime();
    return this.transactions.read((tx) =>
      tx
        .createQueryBuilder(tableOn(Charge, side), 'c')
        .innerJoin(tableOn(Order, side), 'o', 'o.id = c.orderId')
        .where(`c.state = 'awaitingResponse'`)
        // A closed order can be undone for a moment.
        .andWhere(
          `((o.closedAt IS NULL OR o.state = 'won') AND c.dueAt <= :now OR o.state <> 'won' AND o.closedAt <= :closed)`,
          { now, closed: now - UNDO_TIME },
        )
        .orderBy('c.dueAt', 'ASC')
        .limit(MOST_AT_ONCE)
        .getMany(),
    );
  }

  private async endOne(tx: OrdersTx, { id, orderId }: Charge): Promise<boolean> {
    const charged = await lockedCharge(tx, { id: orderId }, id);
    if (charged.charge.state !== 'awaitingResponse') return false;
    const { state } = this.asOfNow(charged).charge;
    if (state === 'awaitingResponse') return false;
    const move = state === 'lapsed' ? 'lapse' : 'withdraw';
    const end: ChargeEnd = { move, mover: 'service', actor: service };
    const { order } = await this.steps.end(tx, charged, end);
    await this.steps.bringBack(tx, order, 'charge_lapsed');
    return true;
  }

  private compose(
    order: ProductOrder,
    { category, amount, note, dueAt }: ChargeProposal,
    proposer: Actor,
  ): Charge {
    const now = this.clock.now();
    if (dueAt && dueAt <= now) {
      const detail = 'Enter a time in the future.';
      throw new ValidationFailed([{ pointer: '/dueAt', code: 'not-allowed', detail }]);
    }
    const { id: orderId, currency } = order;
    return {
      id: newId(),
      orderId,
      category,
      amountMinor: minorUnitsOf(amount, currency, '/amount'),
      currency,
      note,
      state: 'awaitingResponse',
      dueAt: dueAt ?? this.usualDueAt(),
      proposedAt: now,
      endedAt: null,
      answeredBy: null,
      proposedBy: proposer.type === 'staff' ? proposer.id : null,
    };
  }

  /** With the state of the charge at this time. */
  private asOfNow({ order, charge }: ChargedOrder): ChargedOrder {
    return { order, charge: { ...charge, state: chargeStateAt(charge, order, this.clock.now()) } };
  }
}

function endOf({ accept, by }: ChargeAnswer): Pick<ChargeEnd, 'move' | 'by'> {
  return { move: accept ? 'accept' : 'reject', by: by ?? undefined };
}

/** Whether the charge has this answer already, by the same person. */
function repeats({ charge }: ChargedOrder, { accept, by }: ChargeAnswer): boolean {
  return charge.state === (accept ? 'accepted' : 'rejected') && charge.answeredBy === (by ?? null);
}

/** Whether the order is accepted, and not live yet. */
async function isInDelivery(tx: OrdersTx, { id: orderId, state }: Order): Promise<boolean> {
  if (state !== 'won') return false;
  return tx.existsBy(tx.deliveries, { orderId, liveOn: IsNull() });
}

/** What firm terms do not exclude. */
function isExempt({ expedite }: Order, { category }: ChargeProposal): boolean {
  return category === 'cancellation' || (category === 'expedite' && expedite);
}

/** Whether the order accepts the charge in advance, with all that it has accepted already. */
async function fits(
  tx: OrdersTx,
  { amountMinor }: Charge,
  { id: orderId, acceptExtraMinor }: Order,
): Promise<boolean> {
  if (acceptExtraMinor === null) return false;
  return (await acceptedSum(tx, orderId)) + amountMinor <= acceptExtraMinor;
}

/** Of the charges that the client has accepted. */
async function acceptedSum(tx: OrdersTx, orderId: string): Promise<number> {
  const accepted = await tx.findBy(tx.charges, { orderId, state: 'accepted' });
  return accepted.reduce((total, { amountMinor }) => total + amountMinor, 0);
}

/** Whether the actor alone took the order down by phone, with what it accepts in advance. */
function tookDown(tx: OrdersTx, { id: subjectId }: Order, { type, id }: Actor): Promise<boolean> {
  if (type !== 'staff' || id === null) return Promise.resolve(false);
  const received = { subjectType: tx.subject, subjectId, action: 'received' };
  return tx.existsBy(AuditEntry, { ...received, actorType: type, actorId: id });
}

type WhichOrder = Pick<Order, 'id'> & Partial<Pick<Order, 'clientId'>>;

/** @throws {OrderNotFound} */
async function orderFor(tx: OrdersTx, where: WhichOrder): Promise<Order> {
  const order = await lockedOrder(tx, where);
  if (order) return order;
  throw new OrderNotFound();
}

/** @throws {OrderNotFound | ChargeNotFound} */
async function lockedCharge(
  tx: OrdersTx,
  where: WhichOrder,
  chargeId: string,
): Promise<ChargedOrder> {
  const order = await orderFor(tx, where);
  const charge = await tx.findOneBy(tx.charges, { id: chargeId, orderId: order.id });
  if (!charge) throw new ChargeNotFound();
  mustHold(chargeRules, { charge, order }, order.reference);
  return { order, charge };
}

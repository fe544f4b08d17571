import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ownedStates } from '../record/order-states.js';
import { actorOf, AuditService } from '../../platform/audit/audit.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Problem, ValidationFailed } from '../../platform/problems/problem.js';
import { notAllowed } from '../moves/move-faults.js';
import { addWords } from '../record/order-word.entity.js';
import { wordsOf } from '../record/search-words.js';
import { Transactions } from '../../platform/database/transactions.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { type UndoOffer, UndoService } from '../moves/undo.service.js';
import { MovesService } from '../moves/moves.service.js';
import { Order } from '../record/order.entity.js';
import type { Move, MoveInput, Mover, OrderOwner } from '../moves/move-contents.js';
import { NotPermitted, OrderNotFound, UnknownPerson } from '../record/orders.errors.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import type { FollowUpOrder } from './follow-up.dto.js';
import type { MoveOfMany, OrderMove } from './move-bodies.js';
import type { BulkResult, BulkRow, SeenOrder, StaffPeople } from './moves.dto.js';
import { printOrders } from './print-order.js';

/** A move as a caller sent it. */
export type SentMove = MoveInput & {
  /** The JSON pointer of the move in a request that holds several. */
  readonly at?: string;
};

export function moverOf({ staffId, name, role }: StaffCaller): Mover {
  return { kind: 'staff', id: staffId, name, manager: role !== 'agent' };
}

/** Whether the caller owns the order or is a manager. */
export function isTheirs(
  { ownerId }: Pick<FollowUpOrder, 'ownerId'>,
  { staffId, role }: StaffCaller,
): boolean {
  return ownerId === staffId || role !== 'agent';
}

/** @throws {NotPermitted} */
export function refuseUnlessTheirs(
  order: Pick<FollowUpOrder, 'ownerId'>,
  caller: StaffCaller,
): void {
  if (isTheirs(order, caller)) return;
  throw new NotPermitted("This is for the order's owner and managers.");
}

/** Moves and notes by staff members. */
@Injectable()
export class OrderActionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly undos: UndoService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrderNotFound | UnknownPerson | OrderMoved | NotPermitted | ValidationFailed} */
  move(seen: SeenOrder, input: MoveInput, caller: StaffCaller): Promise<FollowUpOrder> {
    return this.moveAll(seen, [input], caller);
  }

  /** As `move`, for several moves of one order in one transaction: all of them, or none. */
  moveAll(
    { orderId, version }: SeenOrder,
    inputs: readonly SentMove[],
    caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.moves.run(async (tx) => {
      const mover = moverOf(caller);
      let order: Order | undefined;
      for (const { at = '', ...input } of inputs) {
        const move = await moveOf(tx, input);
        const seen: number = order?.version ?? version;
        order = await this.moves
          .makeWithin(tx, { orderId, version: seen, move, mover })
          .catch((error: unknown) => {
            throw error instanceof ValidationFailed ? within(error, at) : error;
          });
      }
      return print(tx, order!, this.clock.now());
    });
  }

  /** Takes the caller's last move back. @throws {OrderNotFound | OrderMoved | NotPermitted} */
  undo(seen: SeenOrder, { staffId, name }: StaffCaller): Promise<FollowUpOrder> {
    return this.moves.run(async (tx) =>
      print(tx, await this.undos.undo(tx, seen, { id: staffId, name }), this.clock.now()),
    );
  }

  /** The caller's last move, while it can be undone. */
  undoOffer({ staffId }: StaffCaller): Promise<UndoOffer | null> {
    return this.undos.latest(staffId);
  }

  /** What a program asks for. @throws as `move` */
  make(
    orderId: string,
    move: Exclude<OrderMove, { move: 'amend' }>,
    caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    if (move.move === 'note') return this.addNote(orderId, move.note, caller);
    const { move: name, version, ...carried } = move;
    const seen = { orderId, version };
    if (name === 'undo') return this.undo(seen, caller);
    return this.move(seen, { name, ...carried } as MoveInput, caller);
  }

  /** As `moveMany`, by a program. */
  makeMany(
    { move: name, orders, ...carried }: MoveOfMany,
    caller: StaffCaller,
  ): Promise<BulkResult> {
    return this.moveMany(orders, { name, ...carried } as MoveInput, caller);
  }

  /**
   * Moves each order in a separate transaction and reports each result.
   * @throws {UnknownPerson | OrderNotFound} if the move names a person or an order that does not exist
   * @throws {ValidationFailed} if one text would reach several clients
   */
  async moveMany(
    orders: readonly SeenOrder[],
    input: MoveInput,
    caller: StaffCaller,
  ): Promise<BulkResult> {
    const move = await this.transactions.read(async (tx) => {
      if (input.name === 'reply') await refuseSeveralClients(tx, orders);
      return moveOf(tx, input);
    });
    const results: BulkRow[] = [];
    for (const { orderId, version } of orders) {
      results.push(
        await this.moves.make({ orderId, version, move, mover: moverOf(caller) }).then(
          (order) => ({ orderId, moved: true, version: order.version, problem: null }),
          (error: unknown) => {
            if (!(error instanceof Problem)) throw error;
            const { code, detail, errors } = error;
            const problem = { code, detail: errors[0]?.detail ?? detail };
            return { orderId, moved: false, version: null, problem };
          },
        ),
      );
    }
    const moved = results.filter((row) => row.moved).length;
    return { results, moved, failed: results.length - moved };
  }

  /** Adds a note. The version stays, so that no one else's move conflicts with it. */
  async addNote(orderId: string, note: string, caller: StaffCaller): Promise<FollowUpOrder> {
    return this.moves.run(async (tx) => {
      const now = this.clock.now();
      const { affected } = await tx.update(Order, { id: orderId }, { lastEntryAt: now });
      if (affected !== 1) throw new OrderNotFound();
      await this.audit.record(tx, {
        subject: ['order', orderId],
        action: 'noted',
        actor: actorOf(caller),
        details: { note },
      });
      await addWords(tx, { orderId, words: wordsOf(note) });
      return print(tx, await tx.findOneByOrFail(Order, { id: orderId }), now);
    });
  }

  /** How many open orders and enquiries a staff member owns. */
  held(staffId: string): Promise<number> {
    return this.transactions.read((tx) =>
      tx.countBy(Order, { ownerId: staffId, state: In([...ownedStates]) }),
    );
  }

  async people(): Promise<StaffPeople> {
    const members = await this.transactions.read((tx) =>
      tx.find(StaffMember, { where: { enabled: true }, order: { name: 'ASC', id: 'ASC' } }),
    );
    return { items: members.map(({ id, name, role }) => ({ id, name, role })) };
  }
}

/** The faults of a move that is at a JSON pointer in the request. */
function within({ errors }: ValidationFailed, at: string): ValidationFailed {
  return new ValidationFailed(
    errors.map(({ pointer, ...error }) => ({ ...error, pointer: at + pointer })),
  );
}

async function print(tx: Tx, order: Order, now: Date): Promise<FollowUpOrder> {
  const [printed] = await printOrders(tx, [order], now);
  return printed!;
}

async function personOf(tx: Tx, id: string): Promise<OrderOwner> {
  const member = await tx.findOneBy(StaffMember, { id, enabled: true });
  if (member) return { id, name: member.name };
  throw new UnknownPerson();
}

/** Replaces the ids in the input by the staff member and the order. */
async function moveOf(tx: Tx, input: MoveInput): Promise<Move> {
  const { ownerId, of, ...others } = input as { readonly ownerId?: string; readonly of?: string };
  const move: Record<string, unknown> = Object.fromEntries(
    Object.entries(others).filter(([, value]) => value !== undefined),
  );
  if (ownerId !== undefined) move.owner = await personOf(tx, ownerId);
  if (of !== undefined) move.of = await originalOf(tx, of);
  return move as unknown as Move;
}

/** @throws {ValidationFailed} */
async function refuseSeveralClients(tx: Tx, orders: readonly SeenOrder[]): Promise<void> {
  const id = oneOf(orders.map(({ orderId }) => orderId));
  const rows = await tx.find(Order, { select: { id: true, clientId: true }, where: { id } });
  if (new Set(rows.map(({ clientId }) => clientId)).size < 2) return;
  const detail = 'Choose orders of one client: all of them get the same message.';
  throw new ValidationFailed([notAllowed('orders', detail)]);
}

async function originalOf(tx: Tx, id: string): Promise<Order> {
  const original = await tx.findOneBy(Order, { id });
  if (original) return original;
  throw new OrderNotFound();
}

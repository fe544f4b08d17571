import fc from 'fast-check';
import type { Move, StaffMove, Mover } from '../../src/orders/moves/move-contents.js';
import type { OrderProgress, OrderState } from '../../src/orders/record/order-states.js';

/** A step of a random sequence: who tries which move with which version. */
export interface Step {
  readonly name: StaffMove;
  readonly by: number;
  readonly to: number;
  readonly stale: boolean;
  readonly hours: number;
}

const names = [
  'claim',
  'assign',
  'logContact',
  'schedule',
  'resume',
  'handOver',
  'release',
  'win',
  'lose',
  'cancel',
  'duplicate',
  'reopen',
  'reply',
  'settle',
] as const satisfies readonly StaffMove[];

export const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...names),
    by: fc.nat(4),
    to: fc.nat(2),
    stale: fc.nat(7).map((n) => n === 0),
    hours: fc.nat(30),
  }),
  { minLength: 1, maxLength: 12 },
);

export interface Cast {
  /** Two agents and a manager. */
  readonly people: readonly { readonly id: string; readonly name: string }[];
  readonly clientId: string;
  /** An order of the same client. */
  readonly originalId: string;
}

/** 0 and 1 are agents, 2 the manager, 3 the API client, 4 the rule about stale claims. */
export function moverOf({ people, clientId }: Cast, by: number): Mover {
  if (by === 3) return { kind: 'client', id: clientId, name: 'client' };
  if (by === 4) return { kind: 'staleRule' };
  return { kind: 'staff', ...people[by]!, manager: by === 2 };
}

export function moveOf({ name, to }: Step, cast: Cast, now: Date): Move {
  const owner = cast.people[to]!;
  switch (name) {
    case 'assign':
      return { name, owner };
    case 'handOver':
      return { name, owner, note: 'Over to you.' };
    case 'logContact':
      return { name, channel: 'phone', result: 'no_answer' };
    case 'schedule':
      return { name, nextActionAt: new Date(now.getTime() + 1_000), reason: 'callback_agreed' };
    case 'release':
    case 'reopen':
      return { name, reason: 'Because.' };
    case 'lose':
      return { name, reason: 'price' };
    case 'cancel':
      return { name, reason: 'client_request' };
    case 'duplicate':
      return {
        name,
        of: { id: cast.originalId, kind: 'order', clientId: cast.clientId, state: 'waiting' },
      };
    case 'reply':
      return { name, text: 'We ring.' };
    case 'claim':
    case 'resume':
    case 'settle':
    case 'win':
      return { name };
  }
}

/** A second, simple model of an order. */
export class Model {
  state: OrderState = 'waiting';
  owner: string | null = null;
  version = 0;
  closedAt = 0;

  constructor(private readonly cast: Cast) {}

  /** Makes the move if it is allowed. @returns whether it was */
  make({ name, by, to, stale }: Step, now: number): boolean {
    if (stale && this.version > 0) return false;
    const open = this.state === 'waiting' || this.taken;
    const person = by <= 2 ? this.cast.people[by]!.id : null;
    const own = person !== null && person === this.owner;
    const manager = by === 2;
    const target = this.cast.people[to]!.id;
    switch (name) {
      case 'claim':
        return this.state === 'waiting' && person !== null && this.become('in_progress', person);
      case 'assign':
        return this.state === 'waiting' && manager && this.become('in_progress', target);
      case 'logContact':
        return this.taken && own && this.become('in_progress');
      case 'schedule':
        return this.taken && own && this.become('scheduled');
      case 'resume':
        return this.state === 'scheduled' && (own || manager) && this.become('in_progress');
      case 'handOver':
        return (
          this.taken && (own || manager) && target !== this.owner && this.become(this.state, target)
        );
      case 'release':
        return this.taken && (own || manager || by === 4) && this.become('waiting', null);
      case 'win':
      case 'lose':
        return this.taken && own && this.close(name === 'win' ? 'won' : 'lost', now);
      case 'cancel':
        return open && (own || manager || by === 3) && this.close('cancelled', now);
      case 'duplicate':
        return open && person !== null && this.close('duplicate', now);
      case 'reopen':
        return (
          !open &&
          (manager || (own && now - this.closedAt <= 24 * 3_600_000)) &&
          this.become('in_progress', this.owner ?? person)
        );
      case 'reply':
        return person !== null && this.become(this.state);
      case 'settle':
        // The client writes nothing here.
        return false;
    }
  }

  private get taken(): boolean {
    return this.state === 'in_progress' || this.state === 'scheduled';
  }

  private become(state: OrderState, owner: string | null = this.owner): true {
    this.state = state;
    this.owner = owner;
    this.version += 1;
    return true;
  }

  private close(state: OrderState, now: number): true {
    this.closedAt = now;
    return this.become(state);
  }
}

/** Throws if an order breaks an invariant. */
export function holdInvariants(order: OrderProgress): void {
  const open = ['waiting', 'in_progress', 'scheduled'].includes(order.state);
  const holds = {
    'waiting means open and without owner':
      (order.state === 'waiting') === (open && !order.ownerId),
    'scheduled means open and with a next action':
      (order.state === 'scheduled') === (open && order.nextActionAt !== null),
    'closed means closedAt': !open === (order.closedAt !== null),
    'a closed order has no next action': open || order.nextActionAt === null,
    'a duplicate names its original':
      (order.state === 'duplicate') === (order.duplicateOf !== null),
  };
  for (const [rule, held] of Object.entries(holds)) {
    if (!held) throw new Error(`${rule}: ${JSON.stringify(order)}`);
  }
}

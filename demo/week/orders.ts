import type { INestApplicationContext } from '@nestjs/common';
import type { ClientCaller, StaffCaller } from '../../src/platform/access/caller.js';
import {
  addWorkingTime,
  type Calendar,
  subtractWorkingTime,
} from '../../src/platform/kernel/working-hours.js';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { moverOf, OrderActionsService } from '../../src/orders/staff/order-actions.service.js';
import { MovesService } from '../../src/orders/moves/moves.service.js';
import type { Move, Mover } from '../../src/orders/moves/move-contents.js';
import { Order } from '../../src/orders/record/order.entity.js';
import type { OrderRequest } from '../../src/orders/record/orders.dto.js';
import { placingOf } from '../../src/orders/placing/ordering-client.js';
import { PlacingService } from '../../src/orders/placing/placing.service.js';
import { type DemoChecks, outerPostcodes } from './checks.js';
import type { DemoClock } from './clock.js';
import { contactNames, orderNotes } from './people.js';
import type { PlannedOrder, PlannedStep } from './plan.js';
import type { Chance } from './random.js';
import type { StepAction } from './steps.js';
import { MINUTE, SECOND } from '../../src/platform/kernel/time.js';

const QUARTER = 15 * MINUTE;
export const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export type DemoClient = ClientCaller & { readonly prefix: string; readonly weight: number };

/** The people and clients of the stories. */
export interface Cast {
  readonly clients: readonly DemoClient[];
  readonly viewer: StaffCaller;
  readonly manager: StaffCaller;
  readonly colleagues: readonly StaffCaller[];
}

interface Made {
  readonly orderId: string;
  readonly client: DemoClient;
  readonly request: OrderRequest;
  owner: StaffCaller;
}

/** Every seventh order is for an indicative price. */
const OUTER_EVERY = 7;

/** Places the planned orders and makes their moves through the services, each at its own time. */
export class DemoOrders {
  private readonly placing;
  private readonly moves;
  private readonly actions;
  private readonly transactions;
  private readonly made = new Map<PlannedOrder, Made>();
  private readonly names: string[];
  private readonly notes: string[];

  constructor(
    service: INestApplicationContext,
    private readonly clock: DemoClock,
    private readonly calendar: Calendar,
    private readonly now: Date,
    private readonly chance: Chance,
    private readonly checks: DemoChecks,
    private readonly cast: Cast,
  ) {
    this.placing = service.get(PlacingService, { strict: false });
    this.moves = service.get(MovesService, { strict: false });
    this.actions = service.get(OrderActionsService, { strict: false });
    this.transactions = service.get(Transactions, { strict: false });
    this.names = chance.shuffled(contactNames);
    this.notes = chance.shuffled(orderNotes);
  }

  async place(planned: PlannedOrder): Promise<void> {
    const earlier = planned.repeated && this.made.get(planned.repeated);
    const client = earlier?.client ?? this.chance.weighted(this.cast.clients);
    const request = earlier?.request ?? this.compose(client, planned.arrivesAt);
    this.clock.set(planned.arrivesAt);
    const { orderId } = await this.placing.placeOrder(request, undefined, placingOf(client));
    const reference = `ORD-${this.chance.text(CROCKFORD, 6)}`;
    await this.transactions.run((tx) => tx.update(Order, { id: orderId }, { reference }));
    const owner = planned.mine ? this.cast.viewer : this.chance.one(this.cast.colleagues);
    this.made.set(planned, { orderId, client, request, owner });
  }

  async step(planned: PlannedOrder, { at, action, by }: PlannedStep): Promise<void> {
    const made = this.made.get(planned)!;
    this.clock.set(at);
    if (action.name === 'addNote') {
      await this.actions.addNote(made.orderId, action.note, made.owner);
      return;
    }
    const { orderId } = made;
    // A person who hands an order over owns it until then.
    const mover = this.moverOf(made, by);
    const move = await this.moveOf(planned, made, action, at);
    const { version } = await this.order(orderId);
    await this.moves.make({ orderId, version, move, mover });
  }

  private order(id: string): Promise<Order> {
    return this.transactions.read((tx) => tx.findOneByOrFail(Order, { id }));
  }

  private compose(client: DemoClient, arrivesAt: Date): OrderRequest {
    const near = this.chance.one(this.checks.lit);
    const n = this.made.size;
    const postcode = n % OUTER_EVERY === 1 ? outerPostcodes[n % outerPostcodes.length]! : near;
    const products = this.checks.productsAt(postcode, client);
    const product = products[Math.floor(this.chance.number() ** 2 * products.length)]!;
    const seen = arrivesAt.getTime() - this.chance.whole(60, 700) * SECOND;
    const checkId = this.chance.happens(0.75)
      ? { checkId: this.checks.make(postcode, client, new Date(seen)) }
      : {};
    const reference = this.chance.happens(0.85)
      ? { reference: `${client.prefix}-${this.chance.whole(2_100, 9_800)}` }
      : {};
    const name = this.names.pop();
    const contact = name === undefined ? {} : { contact: this.contactOf(name) };
    const notes = this.chance.happens(0.3) ? this.notes.pop() : undefined;
    return {
      postcode,
      productCode: product,
      ...checkId,
      ...reference,
      ...contact,
      ...(notes !== undefined && { notes }),
    };
  }

  private contactOf(name: string) {
    const local = name
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z ]/g, '')
      .toLowerCase()
      .replaceAll(' ', '.');
    const digits = this.chance.text('0123456789', 3);
    const phone = this.chance.happens(0.6) ? `07700 900${digits}` : `01632 960${digits}`;
    return { name, email: `${local}@customer.example`, phone };
  }

  private async moveOf(
    planned: PlannedOrder,
    made: Made,
    action: Exclude<StepAction, { name: 'addNote' }>,
    at: Date,
  ): Promise<Move> {
    switch (action.name) {
      case 'assign':
        return { name: 'assign', owner: personOf(made.owner) };
      case 'handOver': {
        const others = this.cast.colleagues.filter((person) => person !== made.owner);
        made.owner = this.chance.one(others);
        return { ...action, owner: personOf(made.owner) };
      }
      case 'duplicate': {
        const id = this.made.get(planned.repeated!)!.orderId;
        return { name: 'duplicate', of: await this.order(id) };
      }
      case 'schedule': {
        const { after, fromNow = 0, ...rest } = action;
        const nextActionAt =
          after === undefined ? this.fromNow(fromNow) : this.quarterAfter(at, after);
        return { ...rest, nextActionAt };
      }
      case 'win': {
        const { basis, terms } = await this.order(made.orderId);
        const isIndicative = basis === 'indicative' && terms !== null;
        return isIndicative ? { ...action, price: terms.price, setupPrice: 950 } : action;
      }
      case 'hear':
        return {
          ...action,
          messageId: newId(),
          answersWaiting: false,
          token: made.client.tokenId,
        };
      case 'claim':
      case 'reply':
      case 'settle':
      case 'logContact':
      case 'resume':
      case 'release':
      case 'lose':
      case 'cancel':
      case 'reopen':
        return action;
    }
  }

  /** A round time a number of working minutes from now; negative: ago. */
  private fromNow(minutes: number): Date {
    if (minutes >= 0) return this.quarterAfter(this.now, minutes);
    const at = subtractWorkingTime(this.now, -minutes * MINUTE, this.calendar);
    return new Date(Math.floor(at.getTime() / QUARTER) * QUARTER);
  }

  private quarterAfter(start: Date, minutes: number): Date {
    const at = addWorkingTime(start, minutes * MINUTE, this.calendar);
    return new Date(Math.ceil(at.getTime() / QUARTER) * QUARTER);
  }

  private moverOf({ client, owner }: Made, by: PlannedStep['by']): Mover {
    const { manager, colleagues } = this.cast;
    switch (by) {
      case 'rule':
        return { kind: 'staleRule' };
      case 'client':
        return { kind: 'client', id: client.clientId, name: client.name };
      case 'manager':
        return moverOf(manager);
      case 'colleague':
        return moverOf(this.chance.one(colleagues));
      case undefined:
        return moverOf(owner);
    }
  }
}

function personOf({ staffId, name }: StaffCaller) {
  return { id: staffId, name };
}

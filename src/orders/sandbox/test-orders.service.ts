import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../../platform/access/caller.js';
import type { Actor } from '../../platform/audit/audit.service.js';
import { parseSandboxPostcode } from '../../platform/kernel/postcode.js';
import {
  SANDBOX_CHARGE,
  type SandboxCase,
  sandboxCaseAt,
} from '../../platform/kernel/sandbox-postcodes.js';
import { ChargesService } from '../charges/charges.service.js';
import type { ClientEnquiry } from '../record/enquiries.dto.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { enquiryView, orderView } from '../views/client-views.js';
import { type Order, TestOrder } from '../record/order.entity.js';
import type { EnquiryTestTarget, WorkKind, TestTarget } from '../record/order-states.js';
import type { ClientOrder } from '../record/orders.dto.js';
import { TestOrderNotFound, TestOrderStays } from '../record/orders.errors.js';
import type { Move } from '../moves/move-rules.js';
import { MovesService } from '../moves/moves.service.js';
import { publicStateOf } from '../record/public-state.js';
import { enquiryMovesTo, movesTo, nextOf, type TestOfferStep, sandboxStaff } from './test-moves.js';
import { TestOffersService } from './test-offers.service.js';

const staff: Actor = { type: 'system', id: null, name: sandboxStaff.name };

const charge = {
  category: 'survey',
  amount: SANDBOX_CHARGE,
  note: 'The survey found that the duct has to be cleared.',
} as const;

@Injectable()
export class TestOrdersService {
  constructor(
    private readonly moves: MovesService,
    private readonly clientOrders: ClientOrdersService,
    private readonly charges: ChargesService,
    private readonly testOffers: TestOffersService,
  ) {}

  /** @throws {TestOrderNotFound | TestOrderStays} */
  async advance(
    id: string,
    target: TestTarget | undefined,
    client: ClientCaller,
  ): Promise<ClientOrder> {
    const plan = (order: Order) =>
      movesTo(publicStateOf({ ...order, kind: 'order' }), target ?? undefined);
    await this.make('order', id, client, plan);
    return this.clientOrders.find(orderView, id, client);
  }

  /** @throws {TestOrderNotFound | TestOrderStays} */
  async advanceEnquiry(
    id: string,
    target: EnquiryTestTarget | undefined,
    client: ClientCaller,
  ): Promise<ClientEnquiry> {
    const plan = (order: Order) => {
      const state = publicStateOf({ ...order, kind: 'enquiry' });
      const isOffered = plays(order, 'offered') || plays(order, 'offer-expired');
      return enquiryMovesTo(state, target ?? nextOf(state, isOffered));
    };
    await this.make('enquiry', id, client, plan);
    return this.clientOrders.find(enquiryView, id, client);
  }

  private async make(
    kind: WorkKind,
    id: string,
    client: ClientCaller,
    plan: (order: Order) => readonly (Move | TestOfferStep)[] | null,
  ): Promise<void> {
    if (!client.isTest) throw new TestOrderNotFound(kind);
    const { clientId } = client;
    await this.moves.runOn(client, async (tx) => {
      let order: Order | null = await tx.findOneBy(TestOrder, { id, kind, clientId });
      if (!order) throw new TestOrderNotFound(kind);
      const state = publicStateOf(order);
      const moves = plan(order);
      if (!moves) throw new TestOrderStays(kind, state);
      for (const move of moves) {
        if (move.name === 'offer')
          await this.testOffers.send(tx, id, plays(order, 'offer-expired'));
        else if (move.name === 'expire') await this.testOffers.expire(tx, id);
        else order = await this.moves.attempt(tx, order, move, sandboxStaff);
        if (!order) throw new TestOrderStays(kind, state);
      }
      if (kind === 'order' && order.state === 'in_progress' && plays(order, 'charge')) {
        await this.charges.propose(tx, order, charge, staff);
      }
    });
  }
}

function plays(order: Order, wanted: SandboxCase): boolean {
  const postcode = parseSandboxPostcode(order.postcode);
  return postcode !== null && sandboxCaseAt(postcode) === wanted;
}

import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../../access/caller.js';
import type { Actor } from '../../audit/audit.service.js';
import { parseSandboxPostcode } from '../../kernel/postcode.js';
import { SANDBOX_CHARGE, sandboxCaseAt } from '../../kernel/sandbox-postcodes.js';
import { ChargesService } from '../charges/charges.service.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { type Order, TestOrder } from '../order.entity.js';
import type { TestTarget } from '../moves/order-states.js';
import type { ClientOrder } from '../orders.dto.js';
import { TestOrderNotFound, TestOrderStays } from '../orders.errors.js';
import { MovesService } from '../moves/moves.service.js';
import { toPublicState } from '../moves/public-state.js';
import { movesTo, sandboxStaff } from './test-moves.js';

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
  ) {}

  /** @throws {TestOrderNotFound | TestOrderStays} */
  async advance(
    id: string,
    target: TestTarget | undefined,
    client: ClientCaller,
  ): Promise<ClientOrder> {
    if (!client.isTest) throw new TestOrderNotFound();
    await this.moves.run(async (tx) => {
      let order: Order | null = await tx.findOneBy(TestOrder, { id, clientId: client.clientId });
      if (!order) throw new TestOrderNotFound();
      const state = toPublicState({ to: order.state, reason: order.closeReason });
      const moves = movesTo(state, target);
      if (!moves) throw new TestOrderStays(state);
      for (const move of moves) {
        order = await this.moves.attempt(tx, order, move, sandboxStaff, client);
        if (!order) throw new TestOrderStays(state);
      }
      if (order.state === 'in_progress' && playsCharge(order)) {
        await this.charges.propose(tx, order, charge, staff, client);
      }
    }, client);
    return this.clientOrders.find(id, client);
  }
}

function playsCharge(order: Order): boolean {
  const postcode = parseSandboxPostcode(order.postcode);
  return postcode !== null && sandboxCaseAt(postcode) === 'charge';
}

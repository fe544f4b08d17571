import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../../access/caller.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { type Order, TestOrder } from '../order.entity.js';
import type { TestTarget } from '../moves/order-states.js';
import type { ClientOrder } from '../orders.dto.js';
import { TestOrderNotFound, TestOrderStays } from '../orders.errors.js';
import { MovesService } from '../moves/moves.service.js';
import { toPublicState } from '../moves/public-state.js';
import { movesTo, sandboxStaff } from './test-moves.js';

@Injectable()
export class TestOrdersService {
  constructor(
    private readonly moves: MovesService,
    private readonly clientOrders: ClientOrdersService,
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
    }, client);
    return this.clientOrders.find(id, client);
  }
}

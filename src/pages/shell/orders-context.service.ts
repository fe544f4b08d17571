import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import type { StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import type { Calendar } from '../../kernel/working-hours.js';
import { CountsService, type ViewCounts } from '../../follow-up/queue/counts.service.js';
import { OrderActionsService } from '../../follow-up/moves/order-actions.service.js';
import type { UndoOffer } from '../../orders/moves/undo.service.js';
import { DeadlinesService } from '../../orders/placing/deadlines.service.js';
import type { FilterChoices } from '../queue/queue-filters.js';

const MOST_PRODUCTS = 100;

export interface OrdersContext {
  readonly viewer: StaffCaller;
  readonly counts: ViewCounts;
  readonly now: Date;
  readonly calendar: Calendar;
  /** The viewer's last move, while it can be undone. */
  readonly undo: UndoOffer | null;
}

@Injectable()
export class OrdersContextService {
  constructor(
    private readonly counts: CountsService,
    private readonly deadlines: DeadlinesService,
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clients: ClientsService,
    private readonly clock: Clock,
  ) {}

  async of(viewer: StaffCaller): Promise<OrdersContext> {
    const counts = await this.counts.ofViews(viewer);
    const undo = await this.actions.undoOffer(viewer);
    return { viewer, counts, now: this.clock.now(), calendar: this.deadlines.calendar, undo };
  }

  /** The choices of the filters. Reads the clients only to name the one in the filter. */
  async choices(clientId: string | undefined): Promise<FilterChoices> {
    const { items: people } = await this.actions.people();
    const clients = clientId === undefined ? [] : await this.clients.list();
    const client = clients.find(({ id }) => id === clientId);
    const products = this.catalogue.loaded ? this.catalogue.current.content.products : [];
    return {
      people,
      products: products.slice(0, MOST_PRODUCTS).map(({ code, name }) => ({ value: code, name })),
      client: client ? { value: client.id, name: client.name } : null,
    };
  }
}

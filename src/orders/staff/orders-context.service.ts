import { Injectable } from '@nestjs/common';
import { BESPOKE } from '../../catalogue/content/cells.js';
import { bandwidthInWords, type ProductRow } from '../../catalogue/content/offer-fields.js';
import { familiesOf } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { Calendar } from '../../platform/kernel/working-hours.js';
import { OrderActionsService } from './order-actions.service.js';
import type { UndoOffer } from '../moves/undo.service.js';
import { DeadlinesService } from '../placing/deadlines.service.js';
import type { FilterChoices } from '../../queue/screens/queue-filters.js';

const MOST_PRODUCTS = 100;

export interface OrdersContext {
  readonly viewer: StaffCaller;
  readonly now: Date;
  readonly calendar: Calendar;
  /** The viewer's last move, while it can be undone. */
  readonly undo: UndoOffer | null;
  /** A zone with its label in the live catalogue, where it has one. */
  readonly zoneInWords: (zone: string) => string;
}

@Injectable()
export class OrdersContextService {
  constructor(
    private readonly deadlines: DeadlinesService,
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clients: ClientsService,
    private readonly clock: Clock,
  ) {}

  async of(viewer: StaffCaller): Promise<OrdersContext> {
    const undo = await this.actions.undoOffer(viewer);
    const zoneInWords = (zone: string) => this.zoneInWords(zone);
    return { viewer, now: this.clock.now(), calendar: this.deadlines.calendar, undo, zoneInWords };
  }

  private zoneInWords(zone: string): string {
    const label = this.catalogue.loaded && this.catalogue.current.zoneRow(zone)?.label;
    return label ? `${label} (${zone})` : zone;
  }

  /** The choices of the filters. Reads the clients only to name the one in the filter. */
  async choices(clientId: string | undefined): Promise<FilterChoices> {
    const { items: people } = await this.actions.people();
    const clients = clientId === undefined ? [] : await this.clients.list();
    const client = clients.find(({ id }) => id === clientId);
    const products = this.catalogue.loaded ? this.catalogue.current.content.products : [];
    return {
      people,
      products: products.slice(0, MOST_PRODUCTS).map(({ code, name, termMonths }) => {
        return { value: code, name: `${name}, ${termMonths} months, ${code}` };
      }),
      families: [...familiesOf(products), { code: BESPOKE, name: 'Bespoke offers' }].map(
        ({ code, name }) => ({ value: code, name: name === code ? code : `${name} (${code})` }),
      ),
      bandwidths: numbersIn(products, ({ bandwidthProvisionedMbps: mbps }) => mbps / 1_000).map(
        (gbps) => ({ value: String(gbps), name: bandwidthInWords(gbps) }),
      ),
      terms: numbersIn(products, ({ termMonths }) => termMonths).map((months) => {
        return { value: String(months), name: months === 1 ? '1 month' : `${months} months` };
      }),
      client: client ? { value: client.id, name: client.name } : null,
    };
  }
}

/** The different values of a number, in ascending order. */
function numbersIn(
  products: readonly ProductRow[],
  number: (product: ProductRow) => number,
): number[] {
  return [...new Set(products.map(number))].sort((a, b) => a - b);
}

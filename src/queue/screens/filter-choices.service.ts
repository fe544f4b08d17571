import { Injectable } from '@nestjs/common';
import { BESPOKE } from '../../catalogue/content/cells.js';
import { bandwidthInWords, type ProductRow } from '../../catalogue/content/offer-fields.js';
import { familiesOf } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import type { FilterChoices } from './queue-filters.js';

const MOST_PRODUCTS = 100;

@Injectable()
export class FilterChoicesService {
  constructor(
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clients: ClientsService,
  ) {}

  /** The choices of the filters. Reads the clients only to name the one in the filter. */
  async of(clientId: string | undefined): Promise<FilterChoices> {
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

import { Injectable } from '@nestjs/common';
import { BESPOKE } from '../../catalogue/content/cells.js';
import { bandwidthInWords, type ProductRow } from '../../catalogue/content/offer-fields.js';
import { familiesOf } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import type { FilterChoices } from './queue-filters.js';
import { counted } from '../../platform/kernel/counts.js';

@Injectable()
export class FilterChoicesService {
  constructor(
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clients: ClientsService,
  ) {}

  async of(): Promise<FilterChoices> {
    const { items: people } = await this.actions.people();
    const clients = await this.clients.list();
    const products = this.catalogue.loaded ? this.catalogue.current.content.products : [];
    return {
      people,
      clients: clients
        .map(({ id, name }) => ({ value: id, name }))
        .sort((a, b) => a.name.localeCompare(b.name, 'en-GB')),
      families: [...familiesOf(products), { code: BESPOKE, name: 'Bespoke offers' }].map(
        ({ code, name }) => ({ value: code, name: name === code ? code : `${name} (${code})` }),
      ),
      bandwidths: numbersIn(products, ({ bandwidthProvisionedMbps: mbps }) => mbps / 1_000).map(
        (gbps) => ({ value: String(gbps), name: bandwidthInWords(gbps) }),
      ),
      terms: numbersIn(products, ({ termMonths }) => termMonths).map((months) => {
        return { value: String(months), name: counted(months, 'month') };
      }),
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

import { Injectable } from '@nestjs/common';
import { productChoices } from '../../catalogue/content/browse/product-choices.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import type { FilterChoices } from './queue-filters.js';

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
      ...productChoices(products),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { productChoices } from '../../catalogue/content/browse/product-choices.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import type { Form } from '../../platform/ui/forms/form.js';
import { choosePeriod, type ChosenPeriod, type ReportFilterChoices } from '../drawing/period.js';

export interface ChosenScope extends ChosenPeriod {
  readonly choices: ReportFilterChoices;
}

/** The period and the filter of a report, from the address of its page. */
@Injectable()
export class ReportScopeService {
  constructor(
    private readonly clients: ClientsService,
    private readonly actions: OrderActionsService,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
  ) {}

  async choose(query: Form): Promise<ChosenScope> {
    const clients = await this.clients.list();
    const { items: people } = await this.actions.people();
    const products = this.catalogue.loaded ? this.catalogue.current.content.products : [];
    const { families, bandwidths, terms } = productChoices(products);
    const named = ({ id, name }: { readonly id: string; readonly name: string }) => {
      return { value: id, name };
    };
    const choices = {
      client: clients.map(named),
      owner: people.map(named),
      family: families,
      bandwidth: bandwidths,
      term: terms,
    };
    return { ...this.read(query), choices };
  }

  /** For an export. @throws {ValidationFailed} */
  valid(query: Form): ChosenPeriod {
    const chosen = this.read(query);
    if (!chosen.refused) return chosen;
    const faults = [...chosen.refused.faults].map(([name, detail]) => {
      return { pointer: `/${name}`, code: 'not-allowed', detail };
    });
    throw new ValidationFailed(faults);
  }

  private read(query: Form): ChosenPeriod {
    return choosePeriod(query, londonDay(this.clock.now()));
  }
}

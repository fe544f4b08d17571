import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ExplainService } from '../../catalogue/versions/explain.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import type { StaffCaller } from '../../access/caller.js';
import { parsePostcode, Postcode, type PostcodeRefusal } from '../../kernel/postcode.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { type CheckClient, CheckPage, type Found, type LookUp } from './check-page.js';
import type { Form } from '../forms/form.js';
import { offerOrderOf } from './offer-order.js';
import { page } from '../shell/render.js';

/** The price list of whoever has none of their own. */
const STANDARD = 'standard';

/** Looks postcodes up for staff, without leaving a record. */
@Injectable()
export class CheckPagesService {
  constructor(
    private readonly clients: ClientsService,
    private readonly catalogue: CatalogueService,
    private readonly explain: ExplainService,
  ) {}

  async lookUp(viewer: StaffCaller, query: Form): Promise<WrittenHtml> {
    const clients = (await this.clients.list()).filter(({ enabled }) => enabled);
    const lookUp: LookUp = {
      postcode: query.text('postcode'),
      client: query.text('client'),
      order: offerOrderOf(query.text('sort')),
    };
    const shown = { viewer, clients, lookUp };
    if (lookUp.postcode === '' && !query.has('postcode')) return page(<CheckPage {...shown} />);
    const postcode = parsePostcode(lookUp.postcode);
    const client = clients.find(({ id }) => id === lookUp.client) ?? null;
    const faults = faultsOf(lookUp, postcode, client);
    if (!(postcode instanceof Postcode) || faults.size > 0) {
      const suggestion = postcode instanceof Postcode ? undefined : postcode.suggestion;
      return page(<CheckPage {...{ ...shown, faults, suggestion }} />, 400);
    }
    const found = await this.find(postcode, client);
    return page(<CheckPage {...{ ...shown, found }} />);
  }

  private async find(postcode: Postcode, client: CheckClient | null): Promise<Found> {
    const priceList = client?.priceList ?? STANDARD;
    const offers = this.catalogue.current.offersAt(postcode, priceList).list;
    return { offers, why: await this.explain.explain(postcode.unit, { priceList }), client };
  }
}

function faultsOf(
  lookUp: LookUp,
  postcode: Postcode | PostcodeRefusal,
  client: CheckClient | null,
): Map<string, string> {
  const faults = new Map<string, string>();
  if (lookUp.postcode === '') faults.set('postcode', 'Type a postcode.');
  else if (!(postcode instanceof Postcode)) {
    // The suggestion is a link of its own.
    faults.set('postcode', postcode.detail.replace(/ Did you mean [^?]*\?$/, ''));
  }
  if (lookUp.client !== '' && !client) {
    faults.set('client', 'This client is no longer there, or is disabled. Choose another one.');
  }
  return faults;
}

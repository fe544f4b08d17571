import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { StaffCaller } from '../../access/caller.js';
import { AvailabilityService } from '../../availability/availability.service.js';
import type { Check } from '../../availability/check.entity.js';
import { ChecksService } from '../../availability/checks.service.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { ClientsService } from '../../clients/clients.service.js';
import { validated } from '../../http/valid.js';
import { readCrockford } from '../../kernel/crockford.js';
import { printUprn } from '../../kernel/uprn.js';
import { postcodeOf, uprnOf } from '../../problems/postcode.errors.js';
import { NotFound } from '../../problems/problem.js';
import { OrderRequest } from '../orders.dto.js';
import { RequestInProgress } from '../orders.errors.js';
import { readIdempotencyKey } from './idempotency.js';
import { placingOf, type TelephoneClient } from './ordering-client.js';
import { OrdersService, type PlacedOrder } from './orders.service.js';

/** A double click sends a form twice: the second request waits up to 8 × 150 ms for the first. */
const RETRIES = { times: 8, milliseconds: 150 };

/** A recorded check with its offers, and the API client that it was made for. */
export interface TelephoneCheck {
  readonly check: Check;
  readonly client: ApiClient;
  readonly offers: readonly Offer[];
}

/** What a staff member types for the client; empty texts are left out of the order. */
export interface TelephoneOrder {
  readonly product: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly reference: string;
  readonly notes: string;
}

/** Checks and orders that staff make for API clients on the telephone. */
@Injectable()
export class TelephoneService {
  constructor(
    private readonly clients: ClientsService,
    private readonly availability: AvailabilityService,
    private readonly checks: ChecksService,
    private readonly orders: OrdersService,
  ) {}

  /** @param uprn of premises there; empty for none */
  async record(
    postcode: string,
    uprn: string,
    clientId: string,
    staff: StaffCaller,
  ): Promise<Check> {
    const place = { postcode: postcodeOf(postcode), uprn: uprn === '' ? null : uprnOf(uprn) };
    const client = await this.clientOf(clientId);
    return this.availability.checkByTelephone(place, callerFor(client), staff);
  }

  /** Any recorded check; `client` is null if it has been removed. @throws {NotFound} */
  async find(id: string): Promise<Omit<TelephoneCheck, 'client'> & { client: ApiClient | null }> {
    const check = await this.checkOf(id);
    const client = (await this.clients.list()).find((one) => one.id === check.clientId) ?? null;
    return { check, client, offers: await this.availability.offersOf(check) };
  }

  /** @throws {NotFound} also if its client is removed or disabled */
  async findForOrder(id: string): Promise<TelephoneCheck> {
    const check = await this.checkOf(id);
    const client = await this.clientOf(check.clientId);
    return { check, client, offers: await this.availability.offersOf(check) };
  }

  /** Checks the same place again, with the current offers. */
  async checkAgain({ check, client }: TelephoneCheck, staff: StaffCaller): Promise<TelephoneCheck> {
    const latest = await this.record(check.postcode, printUprn(check.uprn) ?? '', client.id, staff);
    return { check: latest, client, offers: await this.availability.offersOf(latest) };
  }

  /** Places one order for each key, however often it is called. */
  async place(
    { check, client }: TelephoneCheck,
    order: TelephoneOrder,
    onceKey: string,
    staff: StaffCaller,
  ): Promise<PlacedOrder> {
    const request = await validated(OrderRequest, requestOf(check, order));
    const key = readIdempotencyKey(`telephone:${onceKey}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.orders.place(request, key, placingOf(callerFor(client), { staff }));
      } catch (error) {
        if (!(error instanceof RequestInProgress) || attempt === RETRIES.times) throw error;
        await delay(RETRIES.milliseconds);
      }
    }
  }

  private async checkOf(id: string): Promise<Check> {
    const check = await this.checks.find(readCrockford(id));
    if (!check) throw new NotFound('There is no check with this id.');
    return check;
  }

  private async clientOf(id: string): Promise<ApiClient> {
    const client = (await this.clients.list()).find((one) => one.id === id && one.enabled);
    if (!client) throw new NotFound('This client has been removed or disabled.');
    return client;
  }
}

function callerFor({ id, name, priceList }: ApiClient): TelephoneClient {
  return { clientId: id, name, priceList, isTest: false };
}

/** What the client's own system would send. */
function requestOf({ id, postcode }: Check, order: TelephoneOrder): object {
  const { product, name, email, phone, reference, notes } = order;
  const contact = { ...(name && { name }), ...(email && { email }), ...(phone && { phone }) };
  return {
    postcode,
    productCode: product,
    checkId: id,
    ...(Object.keys(contact).length > 0 && { contact }),
    ...(reference && { reference }),
    ...(notes && { notes }),
  };
}

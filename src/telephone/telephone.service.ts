import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../platform/access/caller.js';
import { actorOf } from '../platform/audit/audit.service.js';
import { AvailabilityService } from '../availability/availability.service.js';
import type { Check } from '../availability/check.entity.js';
import { ChecksService } from '../availability/checks.service.js';
import type { PlaceConstraint } from '../catalogue/content/zone-fields.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import { type ApiClient, isDirectClient } from '../clients/api-client.entity.js';
import { ClientsService } from '../clients/clients.service.js';
import { readCrockford } from '../platform/kernel/crockford.js';
import { printUprn } from '../platform/kernel/uprn.js';
import { postcodeOf, uprnOf } from '../platform/problems/postcode.errors.js';
import { NotFound, ValidationFailed } from '../platform/problems/problem.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { ClientNoticesService } from '../orders/staff/client-notices.service.js';
import type { OrderContact } from '../orders/record/orders.dto.js';
import { callerServed, watchServed } from '../watches/watch-emails.js';
import { WatchesService } from '../watches/watches.service.js';
import type { CallerWatch, TelephoneEnquiry, TelephoneOrder } from './telephone.dto.js';
import { sentTwice } from '../orders/placing/idempotency.js';
import {
  contactIn,
  missingOfCaller,
  onTelephone,
  placingOf,
} from '../orders/placing/ordering-client.js';
import {
  type PlacedEnquiry,
  type PlacedOrder,
  PlacingService,
} from '../orders/placing/placing.service.js';

/** A recorded check with its offers, and the API client that it was made for. */
export interface TelephoneCheck {
  readonly check: Check;
  readonly client: ApiClient;
  readonly offers: readonly Offer[];
  readonly constraints: readonly PlaceConstraint[];
}

/** Checks, orders and enquiries that staff make for callers on the telephone. */
@Injectable()
export class TelephoneService {
  constructor(
    private readonly clients: ClientsService,
    private readonly availability: AvailabilityService,
    private readonly checks: ChecksService,
    private readonly placing: PlacingService,
    private readonly watches: WatchesService,
    private readonly notices: ClientNoticesService,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Whether a message can say that a place is served: to the client, or by email to a caller who is no
   * client (null).
   */
  canNotify(client: ApiClient | null): boolean {
    return client === null || isDirectClient(client)
      ? this.outbox.sends(callerServed.code)
      : this.notices.reachClient(client, watchServed.code);
  }

  /**
   * @param uprn of premises there; empty for none
   * @param clientId empty for a caller who is no client yet
   */
  async record(
    postcode: string,
    uprn: string,
    clientId: string,
    staff: StaffCaller,
  ): Promise<Check> {
    const place = { postcode: postcodeOf(postcode), uprn: uprn === '' ? null : uprnOf(uprn) };
    const client =
      clientId === '' ? await this.clients.direct(actorOf(staff)) : await this.clientOf(clientId);
    return this.availability.checkByTelephone(place, onTelephone(client), staff);
  }

  /** Any recorded check; `client` is null if it has been removed. @throws {NotFound} */
  async find(id: string): Promise<Omit<TelephoneCheck, 'client'> & { client: ApiClient | null }> {
    const check = await this.checkOf(id);
    const client =
      (await this.clients.list()).find((client) => client.id === check.clientId) ?? null;
    return { check, client, ...(await this.availability.answerOf(check)) };
  }

  /** @throws {NotFound} also if its client is removed or disabled */
  async findForOrder(id: string): Promise<TelephoneCheck> {
    const check = await this.checkOf(id);
    const client = await this.clientOf(check.clientId);
    return { check, client, ...(await this.availability.answerOf(check)) };
  }

  /** Checks the same place again, with the current offers. */
  async checkAgain({ check, client }: TelephoneCheck, staff: StaffCaller): Promise<TelephoneCheck> {
    const latest = await this.record(check.postcode, printUprn(check.uprn) ?? '', client.id, staff);
    return { check: latest, client, ...(await this.availability.answerOf(latest)) };
  }

  /** Places one order for each key, however often it is called. */
  async place(
    { check, client }: TelephoneCheck,
    order: TelephoneOrder,
    onceKey: string,
    staff: StaffCaller,
  ): Promise<PlacedOrder> {
    const { interconnect, ...about } = order;
    const details = interconnect === undefined ? {} : { details: { interconnect } };
    const request = { ...requestOf(check, about), ...details };
    const placing = placingOf(onTelephone(client), staff);
    return sentTwice(`telephone:${onceKey}`, (key) =>
      this.placing.placeOrder(request, key, placing),
    );
  }

  /** Stores one enquiry for each key, however often it is called. */
  async log(
    { check, client }: Pick<TelephoneCheck, 'check' | 'client'>,
    enquiry: TelephoneEnquiry,
    onceKey: string,
    staff: StaffCaller,
  ): Promise<PlacedEnquiry> {
    requireAnswerable(enquiry, isDirectClient(client));
    const { bandwidth, term, description, ...about } = enquiry;
    const request = { ...requestOf(check, about), wanted: { bandwidth, term, description } };
    const placing = placingOf(onTelephone(client), staff);
    return sentTwice(`telephone:${onceKey}`, (key) =>
      this.placing.placeEnquiry(request, key, placing),
    );
  }

  /** Watches the place of a check for its client. @returns whether products can be ordered there now */
  watch(
    { check, client }: Pick<TelephoneCheck, 'check' | 'client'>,
    staff: StaffCaller,
  ): Promise<boolean> {
    return this.watches.putByStaff(placeOf(check), onTelephone(client), actorOf(staff));
  }

  /** Watches the place of a check for a caller who is no client. @returns see `watch` */
  watchForCaller(
    { check, client }: Pick<TelephoneCheck, 'check' | 'client'>,
    { email }: CallerWatch,
    staff: StaffCaller,
  ): Promise<boolean> {
    const place = placeOf(check);
    return this.watches.putForCaller(place, onTelephone(client), email, actorOf(staff));
  }

  private async checkOf(id: string): Promise<Check> {
    const check = await this.checks.find(readCrockford(id));
    if (!check) throw new NotFound('There is no check with this id.');
    return check;
  }

  private async clientOf(id: string): Promise<ApiClient> {
    const client = (await this.clients.list()).find((client) => client.id === id && client.enabled);
    if (!client) throw new NotFound('This client has been removed or disabled.');
    return client;
  }
}

function placeOf({ postcode, uprn }: Check) {
  return { postcode, uprn: printUprn(uprn) ?? undefined };
}

/**
 * What the operator needs to answer a caller. Of a caller who is no client, no API client has the contact.
 * @throws {ValidationFailed}
 */
function requireAnswerable(enquiry: TelephoneEnquiry, isDirect: boolean): void {
  const { description, bandwidth } = enquiry;
  const detail = 'Describe it, or enter a bandwidth.';
  const errors = [
    ...(description || bandwidth ? [] : [{ pointer: '/description', code: 'required', detail }]),
    ...(isDirect ? missingOfCaller(enquiry) : []),
  ];
  if (errors.length > 0) throw new ValidationFailed(errors);
}

/** What the client's own system would send. */
function requestOf<T extends OrderContact>({ id, postcode }: Check, request: T) {
  const { name, email, phone, ...about } = request;
  return { ...about, postcode, checkId: id, contact: contactIn({ name, email, phone }) };
}

import type { Actor } from '../../audit/audit.service.js';
import type { ClientCaller, StaffCaller } from '../../access/caller.js';

/** An API client that is on the telephone: never one that only tries things out. */
export interface TelephoneClient extends Pick<ClientCaller, 'clientId' | 'name' | 'priceList'> {
  readonly isTest: false;
}

/** The API client whose order it is. */
export type OrderingClient = ClientCaller | TelephoneClient;

/** How an order came: from the client's own system, or by a staff member on the telephone. */
export interface Placing {
  readonly client: OrderingClient;
  readonly actor: Actor;
  /** In the audit entry, where it is not the client's system. */
  readonly source?: 'telephone';
}

export function placingOf(client: OrderingClient, staff: StaffCaller | undefined): Placing {
  return staff
    ? { client, actor: { type: 'staff', id: staff.staffId, name: staff.name }, source: 'telephone' }
    : { client, actor: { type: 'client', id: client.clientId, name: client.name } };
}

import type { Actor } from '../../audit/audit.service.js';
import type { ClientCaller, StaffCaller } from '../../access/caller.js';

/** An API client on the telephone; never a test. */
export interface TelephoneClient extends Pick<ClientCaller, 'clientId' | 'name' | 'priceList'> {
  readonly isTest: false;
}

export type OrderingClient = ClientCaller | TelephoneClient;

/** Who placed an order: the client's own system, or a staff member for a client on the telephone. */
export interface Placing {
  readonly client: OrderingClient;
  readonly actor: Actor;
  readonly source?: 'telephone';
}

export function placingOf(client: OrderingClient, staff: StaffCaller | undefined): Placing {
  return staff
    ? { client, actor: { type: 'staff', id: staff.staffId, name: staff.name }, source: 'telephone' }
    : { client, actor: { type: 'client', id: client.clientId, name: client.name } };
}

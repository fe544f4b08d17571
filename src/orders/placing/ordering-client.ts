import type { Actor } from '../../platform/audit/audit.service.js';
import type { ClientCaller, StaffCaller } from '../../platform/access/caller.js';
import type { ApiClient } from '../../clients/api-client.entity.js';

/** An API client on the telephone; never a test. */
export interface TelephoneClient extends Pick<
  ClientCaller,
  'clientId' | 'name' | 'priceList' | 'nearNet' | 'interconnects'
> {
  readonly kind: 'telephone';
  readonly isTest: false;
}

export type OrderingClient = ClientCaller | TelephoneClient;

/** Who placed an order: the client's own system, or a staff member for a client on the telephone. */
export interface Placing {
  readonly client: OrderingClient;
  readonly actor: Actor;
  readonly source?: 'telephone';
}

export function onTelephone(client: ApiClient): TelephoneClient {
  const { id, name, priceList, nearNet, interconnects } = client;
  return {
    kind: 'telephone',
    clientId: id,
    name,
    priceList,
    nearNet,
    interconnects,
    isTest: false,
  };
}

/** @param staff the member who places the order for a client on the telephone */
export function placingOf(
  client: OrderingClient,
  staff?: Pick<StaffCaller, 'staffId' | 'name'>,
): Placing {
  if (!staff) {
    return { client, actor: { type: 'client', id: client.clientId, name: client.name } };
  }
  const actor = { type: 'staff', id: staff.staffId, name: staff.name } as const;
  return { client, actor, source: 'telephone' };
}

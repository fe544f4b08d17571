import type { Actor } from '../../platform/audit/audit.service.js';
import type { ClientCaller, StaffCaller } from '../../platform/access/caller.js';
import { LIVE, type Side } from '../../platform/database/sides.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import type { FieldError } from '../../platform/problems/problem.js';
import type { OrderContact } from '../record/orders.dto.js';

/** An API client on the telephone; never a test. */
export type TelephoneClient = typeof LIVE &
  Pick<ClientCaller, 'clientId' | 'name' | 'priceList' | 'nearNet' | 'interconnects'> & {
    readonly kind: 'telephone';
  };

export type OrderingClient = ClientCaller | TelephoneClient;

/** Who placed an order: the client's own system, or a staff member for a client on the telephone. */
export interface Placing {
  readonly client: OrderingClient;
  readonly actor: Actor;
  readonly source?: 'telephone';
}

export function onTelephone(client: ApiClient): TelephoneClient {
  const { id, name, priceList, nearNet, interconnects } = client;
  const kind = 'telephone';
  return { kind, clientId: id, name, priceList, nearNet, interconnects, ...LIVE };
}

/** What the client reads after a request was received. @param subject of the sentence about a test */
export function nextInWords({ isTest }: Side, subject: 'It' | 'This'): string {
  return isTest
    ? `${subject} is a test: no one will contact you.`
    : 'A member of our team will contact you.';
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

/** The contact of an order that staff take down; undefined if they received none. */
export function contactIn({ name, phone, email }: OrderContact): OrderContact | undefined {
  const isNamed = [name, phone, email].some((text) => text !== undefined);
  return isNamed ? { name, phone, email } : undefined;
}

/** What is missing to answer a caller without an account: no API client has their contact. */
export function missingOfCaller({ name, phone, email }: OrderContact): FieldError[] {
  const missing = (pointer: string, detail: string) => ({ pointer, code: 'required', detail });
  return [
    ...(name ? [] : [missing('/name', 'Enter the name of the caller.')]),
    ...(phone || email ? [] : [missing('/phone', 'Enter a phone number or an email address.')]),
  ];
}

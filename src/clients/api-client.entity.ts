import { Column, Entity, Index, MoreThan, PrimaryColumn } from 'typeorm';
import type { Interconnect } from '../platform/access/caller.js';
import { column, optional } from '../platform/database/columns.js';
import type { Tx } from '../platform/database/engine/tx.js';
import type { Compatibility, ClientNearNet, OnOrOff } from '../platform/kernel/client-options.js';
import { nextTurn } from '../platform/kernel/turns.js';

/** The system of a reseller or partner, and its contact. */
@Entity({ name: 'api_clients' })
@Index('ux_api_clients_name', ['name'], { unique: true })
export class ApiClient {
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.text(120))
  name: string;

  @Column(column.text(120))
  contactName: string;

  @Column(column.text(254))
  contactEmail: string;

  @Column(column.text(40))
  contactPhone: string;

  @Column(column.text(32))
  priceList: string;

  /** The version of the API that its answers follow. */
  @Column(column.text(8))
  compatibility: Compatibility;

  /** Who sees prices by distance. */
  @Column(column.text(8))
  nearNet: ClientNearNet;

  /** Of which its orders can name one. */
  @Column(column.json)
  interconnects: readonly Interconnect[];

  /** Its own limits; null: as configured. */
  @Column(optional(column.integer))
  lookupsPerMinute: number | null;

  /** Checks a second. */
  @Column(optional(column.integer))
  lookupBurst: number | null;

  @Column(optional(column.integer))
  ordersPerMinute: number | null;

  @Column(optional(column.integer))
  inFlight: number | null;

  @Column(column.boolean)
  enabled: boolean;

  /** Whether its contact gets what the operator writes by email. Without a webhook it always does. */
  @Column({ ...column.text(3), default: 'on' })
  messageEmails: OnOrOff;

  @Column(column.instant)
  createdAt: Date;

  /** Grows with each edit, so that no edit overwrites another unseen. */
  @Column(column.integer)
  version: number;
}

/** How to reach an API client; nulls if it is unknown. */
export function contactOfClient(client: ApiClient | null) {
  return {
    name: client?.contactName ?? null,
    email: client?.contactEmail ?? null,
    phone: client?.contactPhone ?? null,
  };
}

/** The built-in API client of enquiries from callers who are no client yet. It has no tokens. */
export const DIRECT_CLIENT = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Direct enquiries',
  contactName: 'Sales team',
} as const satisfies Partial<ApiClient>;

export function isDirectClient({ id }: Pick<ApiClient, 'id'>): boolean {
  return id === DIRECT_CLIENT.id;
}

/** Clients of one turn of the event loop: they are read, and what is done with each, in a few milliseconds. */
const PAGE = 500;

/** The names and contacts of all clients, in turns. */
export async function* clientContacts(tx: Tx): AsyncGenerator<ApiClient> {
  const select = {
    id: true,
    name: true,
    contactName: true,
    contactEmail: true,
    contactPhone: true,
  };
  for (let last: ApiClient | undefined; ;) {
    const where = last ? { id: MoreThan(last.id) } : {};
    const page = await tx.find(ApiClient, { select, where, order: { id: 'ASC' }, take: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1);
    await nextTurn();
  }
}

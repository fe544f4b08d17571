import { In } from 'typeorm';
import { uncontacted } from './views.js';
import { entitiesOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { Order } from '../../orders/record/order.entity.js';
import type { TakenOrder } from '../../orders/staff/moves.dto.js';

/** Extra orders to read, for seekers who lost an order and get a random one of the next. */
const MARGIN = 32;

/** A staff member who wants an order. */
export interface Seeker {
  readonly staffId: string;
  /** Orders that the seeker has lost to another instance. */
  readonly tried: ReadonlySet<string>;
}

export interface OrderChoice {
  readonly order: Order;
  readonly why: NonNullable<TakenOrder['why']>;
}

/**
 * Chooses a different order for each seeker: first their own due call-backs, then waiting orders that
 * are late or nearly late, then the longest waiting; null if none is left. A seeker who has lost an
 * order gets a random one of the next, so that two instances do not race for the same one again.
 */
export async function chooseOrders(
  tx: Tx,
  seekers: readonly Seeker[],
  now: Date,
): Promise<(OrderChoice | null)[]> {
  const taken = new Set<string>();
  const pick = ({ tried }: Seeker, choices: readonly OrderChoice[]): OrderChoice | null => {
    const free = choices.filter(({ order: { id } }) => !taken.has(id) && !tried.has(id));
    const choice = free[tried.size === 0 ? 0 : Math.floor(Math.random() * free.length)] ?? null;
    if (choice) taken.add(choice.order.id);
    return choice;
  };
  const most = seekers.length + new Set(seekers.flatMap(({ tried }) => [...tried])).size;
  const due = await dueCallBacks(tx, seekers, now, most);
  const chosen = seekers.map((seeker) => pick(seeker, due.get(seeker.staffId) ?? []));
  const fill = (choices: readonly OrderChoice[]) => {
    for (const [i, seeker] of seekers.entries()) chosen[i] ??= pick(seeker, choices);
    return !chosen.includes(null);
  };
  if (!chosen.includes(null)) return chosen;
  const limit = most + (seekers.some(({ tried }) => tried.size > 0) ? MARGIN : 0);
  if (!fill(await urgent(tx, now, limit))) fill(await waiting(tx, limit));
  return chosen;
}

/** The due call-backs of each staff member, longest due first. */
async function dueCallBacks(
  tx: Tx,
  seekers: readonly Seeker[],
  now: Date,
  limit: number,
): Promise<Map<string, OrderChoice[]>> {
  const people = [...new Set(seekers.map(({ staffId }) => staffId))];
  const parts = people.map((me, i) =>
    tx
      .createQueryBuilder(Order, `o${i}`)
      .select(`o${i}.id`, 'id')
      .where(`o${i}.nextActionAt <= :now`)
      .andWhere(`o${i}.ownerId = :me${i} AND o${i}.state = 'scheduled'`)
      .setParameters({ [`me${i}`]: me, now: now.getTime() })
      .orderBy(`o${i}.nextActionAt`, 'ASC')
      .addOrderBy(`o${i}.id`, 'ASC')
      .limit(limit),
  );
  const all = parts.map((part, i) => `SELECT * FROM (${part.getQuery()}) AS p${i}`);
  const found = await tx
    .createQueryBuilder()
    .select('due.id', 'id')
    .from(`(${all.join(' UNION ALL ')})`, 'due')
    .setParameters(Object.assign({}, ...parts.map((part) => part.getParameters())) as object)
    .getRawMany<{ id: string }>();
  const orders =
    found.length > 0 ? await tx.findBy(Order, { id: In(found.map(({ id }) => id)) }) : [];
  orders.sort((a, b) => a.nextActionAt!.getTime() - b.nextActionAt!.getTime());
  const byOwner = new Map(people.map((id) => [id, [] as OrderChoice[]]));
  for (const order of orders) byOwner.get(order.ownerId!)?.push({ order, why: 'call-back due' });
  return byOwner;
}

async function urgent(tx: Tx, now: Date, limit: number): Promise<OrderChoice[]> {
  const orders = await waitingBy(tx, 'firstContactDueAt', limit, uncontacted);
  return orders
    .filter(({ firstContactWarnAt }) => firstContactWarnAt <= now)
    .map((order) => ({ order, why: order.firstContactDueAt <= now ? 'late' : 'nearly late' }));
}

async function waiting(tx: Tx, limit: number): Promise<OrderChoice[]> {
  const orders = await waitingBy(tx, 'receivedAt', limit);
  return orders.map((order) => ({ order, why: 'waiting' }));
}

function waitingBy(
  tx: Tx,
  key: 'firstContactDueAt' | 'receivedAt',
  limit: number,
  and: readonly string[] = [],
) {
  const query = tx
    .createQueryBuilder(Order, 'o')
    .where([`o.state = 'waiting'`, ...and].join(' AND '))
    .orderBy(`o.${key}`, 'ASC')
    .addOrderBy('o.id', 'ASC')
    .limit(limit);
  return entitiesOf(query);
}

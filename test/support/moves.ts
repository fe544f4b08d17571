import { moveRules } from '../../src/orders/moves/move-rules.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { SeenOrder } from '../../src/orders/staff/moves.dto.js';
import {
  OrderActionsService,
  type SentMove,
} from '../../src/orders/staff/order-actions.service.js';
import type { Http, Reply, RequestOptions } from './http.js';
import type { Service } from './service.js';

const isMove = (name: string) =>
  name === 'note' ||
  name === 'undo' ||
  (Object.hasOwn(moveRules, name) && 'path' in moveRules[name as 'claim']);

/**
 * As `http.post`, for what staff do to an order.
 * @param path may end in the name of a move: `/follow-up/orders/<id>/claim`
 */
export function postAsStaff<T>(
  http: Pick<Http, 'post'>,
  path: string,
  body: object = {},
  options: RequestOptions = {},
): Promise<Reply<T>> {
  const [, order, move] = /^(\/follow-up\/orders\/[^/]+)\/(\w+)$/.exec(path) ?? [];
  return order !== undefined && move !== undefined && isMove(move)
    ? http.post<T>(`${order}/moves`, { move, ...body }, options)
    : http.post<T>(path, body, options);
}

/** Several moves of an order in one transaction, as the call panel makes them. */
export function moveAll(
  service: Service,
  { id: staffId, name = 'Sam Poole' }: { readonly id: string; readonly name?: string },
  seen: SeenOrder,
  moves: readonly SentMove[],
): Promise<FollowUpOrder> {
  const who = { kind: 'staff', staffId, tokenId: staffId, name, role: 'agent' } as const;
  return service.get(OrderActionsService).moveAll(seen, moves, { ...who, scopes: new Set() });
}

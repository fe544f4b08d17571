import type { FollowUpOrder } from '../../../src/orders/staff/follow-up.dto.js';
import { OrderDetailService } from '../../../src/orders/staff/order-detail.service.js';
import type { OrderRequest } from '../../../src/orders/record/orders.dto.js';
import type { Service } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

/** A waiting order, as staff see it. */
export async function waitingOrder(
  service: Service,
  about: Partial<OrderRequest> & { token?: string } = {},
): Promise<FollowUpOrder> {
  return orderNow(service, (await service.given.order(about)).orderId);
}

export async function orderNow(service: Service, orderId: string): Promise<FollowUpOrder> {
  return (await service.get(OrderDetailService).find(orderId)).order;
}

/** An order that this member has claimed through the pages. */
export async function claimedOrder(
  service: Service,
  browser: StaffBrowser,
  about: Partial<OrderRequest> & { token?: string } = {},
): Promise<FollowUpOrder> {
  const { orderId, reference } = await waitingOrder(service, about);
  const { status } = await browser.post(`/staff/orders/${reference}/claim`, { version: '0' });
  if (status !== 303) throw new Error(`The claim was answered ${status}.`);
  return orderNow(service, orderId);
}

/** The text of a page without markup, with single blanks. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<head>.*?<\/head>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

export function titleOf(html: string): string {
  return /<h1>([^<]*)<\/h1>/.exec(html)?.[1] ?? '';
}

/** The references of the queue's rows, in order. */
export function rowsOf(html: string): string[] {
  return [...html.matchAll(/<tr id="(ORD-[0-9A-Z]{6})"/g)].map(([, reference]) => reference!);
}

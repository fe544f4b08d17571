import { randomUUID } from 'node:crypto';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type {
  AcceptedLines,
  EnquiredLines,
  QuoteAcceptance,
  QuoteEnquiry,
  RefusedLine,
} from '../../src/quotes/quote-requests.dto.js';
import type {
  QuoteAcknowledgement,
  QuotePage,
  QuoteRequest,
  QuoteView,
} from '../../src/quotes/record/quotes.dto.js';
import { QuoteDraftsService } from '../../src/quotes/quote-drafts.service.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import type { Service } from './service.js';

export const QUOTE = '/product-availability/quote';

export interface QuoteRefusal {
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string }[];
  readonly lines?: readonly RefusedLine[];
}

/** In the small catalogue: two with a price, three without, two that are invalid. */
export const sites = [
  { site: 'HQ', postcode: 'ec2a2bs', notes: 'Ask for Ola.' },
  { site: 'Depot', postcode: 'N1 1AA', wanted: { term: 12 } },
  { site: 'Mast', postcode: 'AB10 1AB' },
  { site: 'Fast', postcode: 'EC2A 2BS', wanted: { bandwidth: 10 } },
  { site: 'Closed', postcode: 'EC2A 2BR' },
  { site: 'Typo', postcode: 'EC2A 20S' },
  { site: 'Wide', postcode: 'EC2A 2BS', wanted: { bandwidth: 'very' } },
];
export const quoteRequest = {
  reference: 'RFQ-118',
  customer: 'Fernhill Schools Trust',
  wanted: { bandwidth: 1, term: 36 },
  sites,
} as QuoteRequest;

/** What an API client does with its quotes. */
export function quotesOf({ http }: Pick<Service, 'http'>, token: string) {
  const withKey = (key?: string) => ({
    token,
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  });
  const send = (body: object = quoteRequest, key?: string) =>
    http.post<QuoteAcknowledgement & QuoteRefusal>(QUOTE, body, withKey(key));
  return {
    send,
    made: async (body: object = quoteRequest) => (await send(body)).body.quoteId,
    read: async (id: string, query = '') =>
      (await http.get<QuoteView & QuoteRefusal>(`${QUOTE}/${id}${query}`, { token })).body,
    list: async (query = '') => (await http.get<QuotePage>(`${QUOTE}${query}`, { token })).body,
    accept: (id: string, body: Partial<QuoteAcceptance>, key?: string) =>
      http.post<AcceptedLines & QuoteRefusal>(`${QUOTE}/${id}/acceptance`, body, withKey(key)),
    ask: (id: string, body: QuoteEnquiry = {}, key?: string) =>
      http.post<EnquiredLines & QuoteRefusal>(`${QUOTE}/${id}/enquiry`, body, withKey(key)),
    copy: (id: string) =>
      http.post<QuoteAcknowledgement & QuoteRefusal>(`${QUOTE}/${id}/copy`, {}, { token }),
    orderOf: async (id: string) =>
      (await http.get<ClientOrder>(`/product-availability/order/${id}`, { token })).body,
    orders: async () => {
      const path = '/product-availability/order?limit=200';
      return (await http.get<{ items: ClientOrder[] }>(path, { token })).body.items;
    },
  };
}

interface DraftWorld {
  readonly service: Service;
  readonly admin: StaffMember;
}

/** The page of a draft with a column that is left out, a question about the unit and a line with a fault. */
export async function givenDraft({ service, admin }: DraftWorld): Promise<string> {
  const { id, name } = admin;
  const client = await service.given.client();
  const head = 'Site\tPost code\tSpeed\tManager';
  const sites = `${head}\nHQ\tEC2A 2BS\t1000\tMo\nDepot\tEC2A 20S\t1G\t`;
  const drafts = service.get(QuoteDraftsService);
  const maker = { type: 'staff', id, name } as const;
  const draft = await drafts.start({ id: randomUUID(), client: client.id, sites }, maker);
  await drafts.answer(draft, { isSettled: true });
  return `/staff/quotes/drafts/${draft}`;
}

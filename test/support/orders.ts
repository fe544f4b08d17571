import type { Http, Reply } from './http.js';
import { type DatabaseSettings, type Engine, newDatabase } from './databases.js';
import { startService } from './service.js';

/** A database with a catalogue and an API client, for processes of the service. */
export interface Shop {
  readonly database: DatabaseSettings;
  readonly token: string;
}

export async function newShop(engine: Engine, database?: DatabaseSettings): Promise<Shop> {
  const settings = database ?? (await newDatabase(engine));
  const service = await startService(engine, { database: settings });
  await service.given.catalogue();
  const token = await service.given.token({ days: 3_650 });
  await service.close();
  return { database: settings, token };
}

interface Answer {
  readonly orderId?: string;
  readonly message?: string;
  readonly code?: string;
}

/** Sends an order with a client reference, and optionally an idempotency key. */
export function order(
  http: Http,
  token: string,
  reference: string,
  key?: string,
): Promise<Reply<Answer>> {
  return http.post<Answer>(
    '/product-availability/order',
    { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', reference },
    { token, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) },
  );
}

/** Sends an enquiry, as `order`. */
export async function enquiry(
  http: Http,
  token: string,
  reference: string,
  key?: string,
): Promise<Reply<Answer>> {
  const reply = await http.post<Answer & { readonly enquiryId?: string }>(
    '/product-availability/enquiry',
    { postcode: 'EC2A 2BS', wanted: { bandwidth: 10 }, reference },
    { token, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) },
  );
  const { enquiryId } = reply.body;
  return {
    ...reply,
    body: { ...reply.body, ...(enquiryId !== undefined && { orderId: enquiryId }) },
  };
}

export function check(http: Http, token: string): Promise<Reply<Answer>> {
  return http.get<Answer>('/product-availability/postcode/EC2A%202BS', { token });
}

import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import type { ClientOrder, OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import type { Reply } from './http.js';
import type { Service } from './service.js';

export const ORDER = '/product-availability/order';
export const contact = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0958',
};

export interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: unknown;
}

/** One API client with a token of each kind, and its calls. */
export class Integrator {
  readonly live: string;
  readonly test: string;

  constructor(
    readonly service: Service,
    readonly client: ApiClient,
    [live, test]: readonly [string, string],
  ) {
    [this.live, this.test] = [live, test];
  }

  static async at(service: Service, about = {}): Promise<Integrator> {
    const client = await service.given.client(about);
    const token = (kind: 'live' | 'test') => service.given.token({ client, kind, days: 3_000 });
    return new Integrator(service, client, [await token('live'), await token('test')]);
  }

  check(postcode: string, token = this.test): Promise<Reply<AvailabilityResult & Problem>> {
    const path = `/product-availability/postcode/${encodeURIComponent(postcode)}`;
    return this.service.http.get(path, { token });
  }

  order(
    about: object = {},
    token = this.test,
    headers: Record<string, string> = {},
  ): Promise<Reply<OrderAcknowledgement & Problem & Record<string, unknown>>> {
    const wish = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12', ...about };
    return this.service.http.post(ORDER, wish, { token, headers });
  }

  read(id: string, token = this.test): Promise<Reply<ClientOrder & Problem>> {
    return this.service.http.get(`${ORDER}/${id}`, { token });
  }

  advance(id: string, body?: object, token = this.test): Promise<Reply<ClientOrder & Problem>> {
    const path = `/product-availability/test/order/${id}/advance`;
    return body === undefined
      ? this.service.http.send({ method: 'POST', path, token, headers: { 'Content-Length': 0 } })
      : this.service.http.post(path, body, { token });
  }
}

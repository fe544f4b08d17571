import { expect } from '@jest/globals';
import type { OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';

export const path = '/product-availability/order';
/** An order that `smallCatalogue` allows. */
export const wanted = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The `[status, body]` of an accepted order. */
export const acknowledged: [number, OrderAcknowledgement] = [
  201,
  {
    message: expect.stringMatching(
      /^Your order request was received\. Its reference is ORD-[0-9A-HJKMNP-TV-Z]{6}\. A member of our team will contact you\.$/,
    ) as unknown as string,
    orderId: expect.stringMatching(uuid) as unknown as string,
  },
];

import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OrderIntakeService } from '../../src/orders/placing/order-intake.service.js';
import { SharedCountsService } from '../../src/platform/limits/shared-counts.service.js';
import { Unavailable } from '../../src/platform/problems/problem.js';
import { type Service, startService } from '../support/service.js';

const ORDER = '/product-availability/order';

/** On PostgreSQL, the statement that stores an order counts it; other outcomes are counted by themselves. */
describe('the limit of orders on PostgreSQL', () => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService('postgres');
    await service.given.catalogue();
    token = await service.given.token();
  });
  afterEach(() => void jest.restoreAllMocks());

  const order = (productCode: string) =>
    service.http.post<{ code: string }>(ORDER, { postcode: 'EC2A 2BS', productCode }, { token });
  const countsFail = (failure: Error) =>
    jest.spyOn(service.get(SharedCountsService), 'add').mockRejectedValueOnce(failure);

  it('leaves a refused order its answer where the database fails before it is counted', async () => {
    const add = countsFail(new Unavailable('The database is away.'));
    const { status, body, headers } = await order('NO-SUCH-PRODUCT');
    expect([status, body.code]).toEqual([422, 'unknown-product']);
    expect([add.mock.calls.length, headers.ratelimit]).toEqual([1, undefined]);
    const next = await order('NO-SUCH-PRODUCT');
    expect([next.status, next.headers.ratelimit]).toEqual([
      422,
      expect.stringMatching(/^"orders"/),
    ]);
  });

  it('hides no other failure of the count', async () => {
    countsFail(new Error('a fault'));
    expect((await order('NO-SUCH-PRODUCT')).status).toBe(500);
  });

  it('does not count an order that the database could not store', async () => {
    const add = jest.spyOn(service.get(SharedCountsService), 'add');
    jest
      .spyOn(service.get(OrderIntakeService), 'store')
      .mockRejectedValueOnce(new Unavailable('The database is away.'));
    expect((await order('INT-1G-12')).status).toBe(503);
    expect(add).not.toHaveBeenCalled();
  });
});

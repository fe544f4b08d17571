import { expect, it } from '@jest/globals';
import { startService } from '../support/service.js';

it('a watch is changed only with a token that may write', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue();
  const path = '/product-availability/watch';
  const statuses = async (scope: 'availability:read' | 'orders:write') => {
    const token = await service.given.token({ scopes: [scope] });
    const at = { path: `${path}/LS1%204AP`, token };
    return [
      (await service.http.send({ ...at, method: 'PUT' })).status,
      (await service.http.post(`${path}es`, { places: [] }, { token })).status,
      (await service.http.send({ ...at, method: 'DELETE' })).status,
      (await service.http.get(path, { token })).status,
    ];
  };
  expect(await statuses('availability:read')).toEqual([403, 403, 403, 200]);
  expect(await statuses('orders:write')).toEqual([201, 400, 200, 403]);
});

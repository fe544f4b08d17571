import { expect, it } from '@jest/globals';
import type { ClientWatches } from '../../src/watches/watches.dto.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('a list of 100 watches', (engine) => {
  it('has all properties of each place, however they are written', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const token = await service.given.token();
    const places = Array.from({ length: 100 }, (_, i) => ({
      postcode: `LS1 ${i % 10}A${'ABDEFGHJLN'[Math.floor(i / 10)]}`,
      uprn: String(100_023_336_900 + i),
      reference: `\u00e9\u20ac ${'x'.repeat(58)} ${String(i).padStart(2, '0')}`,
      minBandwidth: 0.125,
      maxPrice: 12_345.678,
    }));
    const send = (body: string) =>
      service.http.send<ClientWatches & { code?: string; detail?: string }>({
        method: 'POST',
        path: '/product-availability/watches',
        token,
        headers: { 'Content-Type': 'application/json' },
        body,
      });
    const plain = JSON.stringify({ places });
    const escaped = plain.replaceAll('x', String.raw`\u0078`);
    for (const text of [plain, escaped]) {
      expect(Buffer.byteLength(text)).toBeGreaterThan(16_384);
      const { status, body } = await send(text);
      expect([status, body.results]).toMatchObject([
        200,
        places.map((place) => ({ ...place, state: 'open' })),
      ]);
    }
    const large = await send(`${plain}${' '.repeat(65_537 - Buffer.byteLength(plain))}`);
    expect([large.status, large.body.detail]).toEqual([413, 'The body has more than 64 KB.']);
    const keys = { places: Array.from({ length: 64 }, () => ({ a: 1, b: 1, c: 1, d: 1, e: 1 })) };
    const many = { ...keys, more: Array.from({ length: 64 }, () => ({ a: 1, b: 1, c: 1, d: 1 })) };
    expect((await send(JSON.stringify(keys))).body.code).toBe('validation-error');
    expect((await send(JSON.stringify(many))).body.detail).toBe('The body has more than 512 keys.');
    const long = { ['k'.repeat(1_025)]: 1 };
    expect((await send(JSON.stringify(long))).body.code).toBe('malformed-request');
    await service.close();
  });
});

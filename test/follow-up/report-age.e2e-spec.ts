import { expect, it } from '@jest/globals';
import { askReport } from '../support/reports.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('the report of open orders by first contact', (engine) => {
  it('counts working days, of a client whose id is in either case', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const client = await service.given.client();
    // Friday 09:00 in London: the first contact is due at 13:00.
    service.clock.advance({ days: 4 });
    expect(service.clock.now()).toEqual(new Date('2026-03-06T09:00Z'));
    await service.given.order({ token: await service.given.token({ client }) });
    const groupAt = async (time: string, id = client.id) => {
      service.clock.advance({ milliseconds: Date.parse(time) - service.clock.now().getTime() });
      const token = await service.given.staffToken('reports:read');
      const { items } = await askReport(service, token, `age?client=${id}`);
      return items.flatMap(({ group, orders }) => (orders === 0 ? [] : [group]));
    };
    expect(await groupAt('2026-03-06T13:00Z')).toEqual(['late up to 1 day']);
    expect(await groupAt('2026-03-09T12:59Z')).toEqual(['late up to 1 day']);
    expect(await groupAt('2026-03-09T13:00Z')).toEqual(['late 1-3 days']);
    expect(await groupAt('2026-03-11T12:59Z')).toEqual(['late 1-3 days']);
    expect(await groupAt('2026-03-11T13:00Z', client.id.toUpperCase())).toEqual(['later']);
  });
});

import { expect, it } from '@jest/globals';
import { quotesOf, sites } from '../support/quotes.js';
import { askReport } from '../support/reports.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('the report of quotes', (engine) => {
  it('says by client what became of the lines of a period', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const token = await service.given.staffToken();
    const [large, small] = [
      await service.given.client({ name: 'Large' }),
      await service.given.client({ name: 'Small' }),
    ];
    const [all, few] = [
      quotesOf(service, await service.given.token({ client: large, days: 90 })),
      quotesOf(service, await service.given.token({ client: small, days: 90 })),
    ];
    await all.send();
    const id = await all.made();
    await few.send({ wanted: { bandwidth: 1, term: 36 }, sites: [sites[0]] });
    await all.accept(id, { lines: ['1', '2'] });
    await all.ask(id, { lines: ['3'] });
    const ofLarge = {
      ...{ clientId: large.id, name: 'Large', quotes: 2, lines: 14, priced: 4 },
      ...{ enquired: 1, ordered: 2, orderedAmounts: [{ currency: 'GBP', amount: 1_175 }] },
    };
    const ofSmall = { name: 'Small', quotes: 1, lines: 1, priced: 1, enquired: 0, ordered: 0 };
    const items = async (query = '') => (await askReport(service, token, `quotes${query}`)).items;
    expect(await items()).toEqual([
      ofLarge,
      { clientId: small.id, ...ofSmall, orderedAmounts: [] },
    ]);
    expect(await items(`?client=${large.id}`)).toEqual([ofLarge]);
    service.clock.advance({ milliseconds: 40 * 86_400_000 });
    expect(await items()).toEqual([]);
  });
});

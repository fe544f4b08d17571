import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { HeldTermsService } from '../../src/quotes/held-terms.service.js';

import { QuoteNewsService } from '../../src/quotes/quote-emails.js';
import { OfferDesk } from '../support/offers.js';
import { quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('a quote that staff withdraw', (engine) => {
  let desk: OfferDesk;
  let service: Service;
  let agent: StaffBrowser;
  let client: ReturnType<typeof quotesOf>;
  let id: string;

  beforeAll(async () => {
    desk = await OfferDesk.open(engine);
    ({ service } = desk);
  });

  beforeEach(async () => {
    agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    await desk.newClient();
    await service.http.send({
      ...{ method: 'PUT', path: '/product-availability/webhook', token: desk.token },
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.example.com/quotes' }),
    });
    await service.learnChanges();
    client = quotesOf(service, desk.token);
    id = await client.made();
  });

  const withdraw = () => agent.post(`/staff/quotes/${id}/withdrawal`, {});
  const undo = () => agent.post(`/staff/quotes/${id}/reversal`, {});
  const page = async () => (await agent.get(`/staff/quotes/${id}`)).text;
  const seen = async () => {
    const { state, withdrawnAt } = await client.read(id);
    return [state, withdrawnAt];
  };
  const listed = async (state: string) =>
    (await client.list(`?state=${state}`)).items.map(({ quoteId }) => quoteId).includes(id);
  const events = () =>
    service
      .get(Transactions)
      .read(async (tx) =>
        (await tx.findBy(OutboxMessage, { subjectId: id })).map((one) => one.kind),
      );

  it('stays open for ten seconds, and can then be read, but not ordered', async () => {
    expect((await withdraw()).headers.location).toBe(`/staff/quotes/${id}?said=withdrawn`);
    const at = new Date(desk.clock.now().getTime() + 10_000).toISOString();
    expect(await page()).toContain('data-undo="10"');
    expect(await page()).not.toContain('Withdraw quote');
    desk.clock.advance({ milliseconds: 9_999 });
    expect(await seen()).toEqual(['open', null]);
    desk.clock.advance({ milliseconds: 1 });
    expect(await seen()).toEqual(['withdrawn', at]);
    expect(await page()).not.toContain('data-undo');
    expect(await page()).toContain('· withdrawn ');
    const refused = await client.accept(id, { lines: ['1'] });
    expect([refused.status, refused.body.code]).toEqual([409, 'quote-expired']);
    expect(refused.text).toContain('has withdrawn this quote');
    expect((await client.ask(id)).body.code).toBe('quote-expired');
    expect(await Promise.all(['open', 'expired', 'withdrawn'].map(listed))).toEqual([
      ...[false, false, true],
    ]);
    expect((await client.copy(id)).status).toBe(201);
  });

  it('is open again after an undo in time, and not after one that is late', async () => {
    await withdraw();
    expect((await undo()).headers.location).toBe(`/staff/quotes/${id}?said=restored`);
    desk.clock.advance({ minutes: 1 });
    expect([await seen(), await listed('open')]).toEqual([['open', null], true]);
    await withdraw();
    expect((await withdraw()).headers.location).toContain('said=withdrawn-before');
    desk.clock.advance({ seconds: 10 });
    expect((await undo()).headers.location).toContain('said=undo-too-late');
    expect((await seen())[0]).toBe('withdrawn');
  });

  it('is told to the webhook once, and warns of no end', async () => {
    await withdraw();
    const told: number[] = [];
    for (const seconds of [10, 71, 71]) {
      desk.clock.advance({ seconds });
      await service.get(QuoteNewsService).tell();
      told.push((await events()).length);
    }
    expect(told).toEqual([0, 1, 1]);
    desk.clock.advance({ days: 28 });
    await service.get(QuoteNewsService).tell();
    expect(await events()).toEqual(['quote.updated']);
  });

  it('holds no terms', async () => {
    const held = async () => {
      const { version } = await service.given.catalogue();
      const catalogue = await service.get(CatalogueService).complete(version);
      return (await service.get(HeldTermsService).comparedWith(catalogue)).quotes;
    };
    const before = await held();
    await withdraw();
    expect(await held()).toBe(before - 1);
  });
});

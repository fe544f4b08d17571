import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Transactions } from '../../src/platform/database/transactions.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { DIRECT_CLIENT } from '../../src/clients/api-client.entity.js';
import { QuoteErasureService } from '../../src/quotes/quote-erasure.service.js';
import { QuoteDraft } from '../../src/quotes/record/quote-draft.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { FakeClock } from '../support/fake-clock.js';
import { smallCatalogue } from '../support/given.js';
import { quotesOf } from '../support/quotes.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** The small catalogue, but its products have services. */
const services = {
  ...smallCatalogue,
  products: smallCatalogue.products.map(
    (line) => `${line},,,${line.includes('100G') ? 'Ethernet' : 'Internet'}`,
  ),
};

const messy = [
  'Library name\tPost code\tBandwidth\tTerm\tManager',
  'Central\tEC2A 2BS\t1G\t36\tMo',
  'Park "East"\tEC2A 20S\t1G\t36\tJo',
  'Hill\tEC2A 2BS\tgigabit\t36\t',
].join('\n');

onBothEngines('a quote that staff prepare', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let clock: FakeClock;
  let agent: StaffBrowser;
  let reseller: { id: string };
  let client: ReturnType<typeof quotesOf>;

  beforeAll(async () => {
    clock = new FakeClock();
    service = await startService(engine, { clock, config: { rateLimits: false } });
    await service.given.catalogue();
  });

  beforeEach(async () => {
    agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    reseller = await service.given.client();
    client = quotesOf(service, await service.given.token({ client: reseller }));
  });

  const start = async (sites: string, about: object = {}) => {
    const [, key = ''] =
      /name="key" value="([^"]+)"/.exec((await agent.get('/staff/quotes/new')).text) ?? [];
    const sent = { key, client: reseller.id, sites, ...about };
    const { status, headers, text } = await agent.post('/staff/quotes', sent);
    if (status !== 303) throw new Error(`${status} ${text.slice(0, 2_000)}`);
    return headers.location!.split('?')[0]!;
  };
  const text = async (path: string) => (await agent.get(path)).text;
  const versionIn = (html: string) => /name="version" value="(\d+)"/.exec(html)![1]!;
  const send = async (path: string, typed: Record<string, string> = {}) =>
    agent.post(`${path}/send`, { version: versionIn(await text(path)), ...typed });
  const seen = async () => (await client.list()).items.map(({ quoteReference }) => quoteReference);

  it('is read, corrected and sent, and seen by its client ten seconds later', async () => {
    const path = await start(messy, { customer: 'Fernhill', reference: 'RFQ-7' });
    const asked = await text(path);
    expect(asked).toContain('Check what the columns of the list are.');
    expect(asked).not.toContain('Send quote');
    const two = await agent.post(`${path}/columns`, { A: 'site', B: 'postcode', C: 'site' });
    expect([two.status, two.text.includes('Choose one column for site')]).toEqual([422, true]);
    const none = await agent.post(`${path}/columns`, { A: 'site' });
    expect([none.status, none.text.includes('the postcode')]).toEqual([422, true]);
    const columns = { A: 'site', B: 'postcode', C: 'bandwidth', D: 'term', E: '' };
    expect((await agent.post(`${path}/columns`, columns)).status).toBe(303);
    const read = await text(path);
    expect(read).toContain('Left out: Manager.');
    expect(read).toContain('2 lines have a fault');
    expect(read).toContain('Send quote without 2 lines');
    expect(read).toContain('value="Park &quot;East&quot;"');
    expect(read).toContain('value="gigabit"');
    expect(read.indexOf('Each line has the product')).toBeLessThan(read.indexOf('data-answer'));
    expect(read.match(/Each line has the product/g)).toHaveLength(1);
    await agent.post(`${path}/corrections`, { '2.postcode': 'EC2A 2BS', '3.bandwidth': 'gigabit' });
    expect(await text(path)).toContain('1 line has a fault');
    expect(await seen()).toEqual([]);

    const sent = await send(path, { '3.bandwidth': '1G' });
    const quote = sent.headers.location!;
    expect(quote).toMatch(/^\/staff\/quotes\/QUO-/);
    const page = await text(quote);
    expect(page).toContain('3 lines: 3 priced');
    expect(page).toContain('data-undo="10"');
    expect((await agent.post(`${path}/send`, { version: '0' })).headers.location).toBe(quote);
    expect((await agent.get(path)).status).toBe(404);
    clock.advance({ milliseconds: 9_999 });
    expect(await seen()).toEqual([]);
    clock.advance({ milliseconds: 1 });
    expect(await seen()).toHaveLength(1);
    const { items } = await client.list();
    const made = await client.read(items[0]!.quoteId);
    expect(made).toMatchObject({ customer: 'Fernhill', reference: 'RFQ-7', state: 'open' });
    expect(made.lines.map(({ site, state }) => [site, state])).toEqual([
      ['Central', 'priced'],
      ['Park "East"', 'priced'],
      ['Hill', 'priced'],
    ]);
    const late = await agent.post(`${quote}/reversal`, {});
    expect(late.headers.location).toContain('said=undo-too-late');
  });

  rule('is a draft again after an undo, and then another quote', async () => {
    const path = await start('site\tpostcode\tbandwidth\nHQ\tEC2A 2BS\t1G');
    const quote = (await send(path)).headers.location!;
    const undone = await agent.post(`${quote}/reversal`, {});
    expect(undone.headers.location).toBe(`${path}?said=draft-again`);
    expect((await agent.get(quote)).status).toBe(404);
    clock.advance({ seconds: 10 });
    expect(await seen()).toEqual([]);
    const again = (await send(path)).headers.location!;
    clock.advance({ seconds: 10 });
    expect([again !== quote, await seen()]).toEqual([true, [again.split('/').at(-1)]]);
  });

  rule('is listed with its maker until it is sent or deleted', async () => {
    const path = await start('postcode\tbandwidth\nEC2A 2BS\t1G', { customer: 'Oak <1>' });
    const list = async () => (await text('/staff/quotes')).includes(`href="${path}"`);
    expect(await text('/staff/quotes')).toContain('Oak &lt;1>');
    expect(await list()).toBe(true);
    const colleague = await StaffBrowser.signedIn(service, { role: 'agent' });
    expect((await colleague.get(path)).status).toBe(200);
    expect((await colleague.post(`${path}/removal`, {})).status).toBe(303);
    expect([await list(), (await agent.get(path)).status]).toEqual([false, 404]);
  });

  it('is not sent as it was before a colleague changed it', async () => {
    const path = await start('postcode\tbandwidth\nEC2A 2BS\tmuch');
    const version = versionIn(await text(path));
    await agent.post(`${path}/lines/1`, { '1.bandwidth': '1G' });
    const refused = await agent.post(`${path}/send`, { version });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('has changed since you saw it');
    expect((await send(path)).status).toBe(303);
  });

  rule('answers a line while it is typed, and stores it', async () => {
    const path = await start('postcode\nEC2A 20S');
    const typed = async (cells: object) => (await agent.post(`${path}/lines/1`, { ...cells })).text;
    expect(await typed({ '1.postcode': 'EC2A 2BS' })).toContain('No bandwidth is given');
    const answer = await typed({ '1.postcode': 'EC2A 2BS', '1.bandwidth': '1G' });
    expect(answer).toContain('data-answer="1"');
    expect(answer).toContain('INT-1G');
    expect(await text(path)).toContain('1 of 1 site has a price.');
    expect((await agent.post(`${path}/lines/2`, { '2.bandwidth': '1G' })).status).toBe(404);
  });

  rule('asks once for the unit, the bandwidth and the service', async () => {
    await service.given.catalogue(services);
    const path = await start('Postcode\tSpeed\nEC2A 2BS\t1000\nEC2A 2BS\t');
    const asked = await text(path);
    expect(asked).toContain('1 bandwidth has no unit.');
    expect(asked).toContain('does not say a service');
    expect(asked).toContain('1 site has no bandwidth');
    expect((await send(path)).text).toContain('Answer the questions about the list first.');
    await agent.post(`${path}/answers`, { unit: 'm' });
    await agent.post(`${path}/answers`, { service: 'Internet' });
    expect((await agent.post(`${path}/general`, { bandwidth: 'x' })).status).toBe(422);
    await agent.post(`${path}/general`, { bandwidth: '1', term: '36', service: 'Internet' });
    const quote = await text((await send(path)).headers.location!);
    expect(quote).toContain('2 lines: 2 priced');
    await service.given.catalogue();
  });

  rule('remembers the columns of the client, and reads a corrected list by them', async () => {
    const head = 'Library name\tWhere\tMbps wanted\tManager';
    const first = await start(`${head}\nCentral\tEC2A 2BS\t1G\tMo`);
    await agent.post(`${first}/columns`, { A: 'site', B: 'postcode', C: 'bandwidth', D: '' });
    const path = await start(`${head}\nPark\tEC2A 20S\t1G\tMo`);
    const known = await text(path);
    expect(known).toContain('Where (postcode)');
    expect(known).not.toContain('Check what the columns');
    const { text: csv } = await agent.get(`${path}.csv`);
    expect(csv).toMatch(
      /^\uFEFF?Library name,Where,Mbps wanted,Manager,problem\r\nPark,EC2A 20S,1G,Mo,/,
    );
    const form = new FormData();
    form.append('sites', '');
    form.append('file', new Blob([csv.replace('EC2A 20S', 'EC2A 2BS')]), 'sites.csv');
    expect((await agent.upload(`${path}/list`, form)).headers.location).toContain('said=read');
    expect(await text(path)).toContain('1 of 1 site has a price.');
    const bad = await agent.post(`${path}/list`, { sites: 'postcode\n' });
    expect(bad.status).toBe(422);
  });

  rule('is a document for a caller without an account', async () => {
    const about = { client: DIRECT_CLIENT.id, sites: 'postcode\tbandwidth\nEC2A 2BS\t1G' };
    const nameless = await agent.post('/staff/quotes', { key: crypto.randomUUID(), ...about });
    expect(nameless.status).toBe(422);
    const path = await start(about.sites, { client: about.client, customer: 'Wren Bakery' });
    const quote = (await send(path)).headers.location!;
    expect(await text(quote)).not.toContain('the client can');
    const pdf = await agent.get(`${quote}.pdf`);
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
    const nobody = await agent.post(`${quote}/orders`, { key: 'a', line: '1' });
    expect([nobody.status, nobody.text.includes('Enter the name of the caller')]).toEqual([
      422,
      true,
    ]);
    const caller = { name: 'Ada', phone: '020 7946 0111' };
    const ordered = await agent.post(`${quote}/orders`, { key: 'a', line: '1', ...caller });
    expect(ordered.headers.location).toBe(`${quote}?said=ordered`);
    expect(await text(quote)).toContain('1 line: 1 ordered');
  });

  it('has lines that staff order for the client: all that are ticked, or none, and once', async () => {
    const rows = Array.from({ length: 12 }, (_row, i) => `Site ${i}\tEC2A 2BS\t1G`);
    const path = await start(
      ['site\tpostcode\tbandwidth', ...rows, 'Bad\tEC2A 20S\t1G'].join('\n'),
    );
    const quote = (await send(path)).headers.location!;
    const line = Array.from({ length: 10 }, (_line, i) => String(i + 1));
    const page = await text(quote);
    const key = /name="key" value="([^"]+)"/.exec(page)![1]!;
    expect(page.match(/name="line" value/g)).toHaveLength(12);
    const post = (lines: readonly string[], onceKey = key) =>
      agent.post(`${quote}/orders`, { key: onceKey, line: lines, name: 'Ada', reference: 'PO-1' });
    const empty = await post([]);
    expect([empty.status, empty.text.includes('at least one line')]).toEqual([422, true]);
    const faulty = await post([...line, '13']);
    expect(faulty.status).toBe(422);
    expect(faulty.text).toContain('Not ordered: it has no price.');
    expect(faulty.text.match(/name="line" value="\d+" checked/g)).toHaveLength(10);
    expect(await client.orders()).toEqual([]);
    const sent = await Promise.all([post(line), post(line)]);
    expect(sent.map(({ status }) => status)).toEqual([303, 303]);
    const orders = await client.orders();
    expect(orders).toHaveLength(10);
    expect(new Set(orders.map(({ reference }) => reference))).toEqual(new Set(['PO-1']));
    const again = await post(['10', '11'], 'other');
    expect(again.text).toContain('Not ordered again: it is an order already.');
    expect(await client.orders()).toHaveLength(10);
    // An order ends the time in which the quote can be taken back.
    expect(await seen()).toHaveLength(1);
    expect((await agent.post(`${quote}/reversal`, {})).headers.location).toContain('undo-too-late');
  });

  it('goes with the quote that is erased, and after 14 days', async () => {
    const sites = 'site\tpostcode\tbandwidth\nMo’s home\tEC2A 2BS\t1G';
    const sentPath = await start(sites, { customer: 'Moss' });
    await start(sites, { customer: 'Moss' });
    const other = await start(sites, { customer: 'Reed' });
    const quote = (await send(sentPath)).headers.location!.split('/').at(-1)!;
    const drafts = () =>
      service.get(Transactions).read((tx) => tx.countBy(QuoteDraft, { clientId: reseller.id }));
    expect(await drafts()).toBe(3);
    const erased = await service.get(QuoteErasureService).erase(quote, operator);
    expect([erased.fields.includes('draft'), await drafts()]).toEqual([true, 1]);
    clock.advance({ days: 14 });
    await service.get(RetentionService).prune();
    expect(await drafts()).toBe(1);
    clock.advance({ milliseconds: 1 });
    await service.get(RetentionService).prune();
    agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    expect([await drafts(), (await agent.get(other)).status]).toEqual([0, 404]);
  });
});

import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import { DIRECT_CLIENT } from '../../src/clients/api-client.entity.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { cells, signedIn } from '../support/admin-pages.js';
import { FaultInjector } from '../support/fault-injector.js';
import { newDatabase } from '../support/databases.js';
import { MailServer } from '../support/mail-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { OperatorWatchesService } from '../../src/watches/operator-watches.service.js';
import { Watch, WatchCaller } from '../../src/watches/watch.entity.js';
import { MINUTE } from '../../src/platform/kernel/time.js';
import type { ClientWatch } from '../../src/watches/watches.dto.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { WatchesService } from '../../src/watches/watches.service.js';

/** The callers to whom an email was added, by address. */
const servedCallers = async (service: Service) =>
  (await service.get(Transactions).read((tx) => tx.find(WatchCaller)))
    .flatMap(({ email, servedAt }) => (servedAt ? email : []))
    .sort();

/** Nothing has to listen there: an address that is set means that email is on. */
const EMAIL_ON = {
  smtp: readSmtpUrl('smtp://localhost:9') ?? null,
  mailFrom: { name: 'Wherryman sales', address: 'orders@operator.example' },
};

onOneEngine('a caller who is no client and waits for a place', (engine) => {
  it('gets one email as soon as products can be ordered there', async () => {
    const mail = await MailServer.start();
    const service = await startService(engine, {
      config: {
        smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
        mailFrom: { name: 'Wherryman sales', address: 'orders@operator.example' },
        salesInbox: [{ name: '', address: 'sales@operator.example' }],
        reminderTimes: [],
        rateLimits: false,
      },
    });
    await service.given.catalogue();
    const { agent, admin } = await signedIn(service);
    const wait = async (postcode: string, email: string) => {
      const check = await agent.post('/staff/check', { postcode, client: '', next: 'watch' });
      const form = check.headers.location!;
      expect((await agent.get(form)).text).toContain(`Notify this caller about ${postcode}`);
      return agent.post(form, { email });
    };
    const served = async (...coverage: string[]) => {
      await service.given.catalogue({ coverage: ['EC2A,ONNET', ...coverage] });
      await service.get(WatchEvaluationService).evaluate();
      await service.get(DeliveryService).deliverDue();
      return mail.mails.splice(0).filter(({ to }) => to[0] !== 'sales@operator.example');
    };
    const refused = await wait('LS1 4AP', 'nobody');
    expect([refused.status, refused.text.includes('aria-invalid')]).toEqual([422, true]);
    for (const email of ['Ada@example.com', 'ada@example.com', 'bo@example.com']) {
      const { headers } = await wait('LS1 4AP', email);
      expect((await agent.get(headers.location!)).text).toContain('They will be notified');
    }
    const { headers } = await wait('EC2A 2BS', 'ada@example.com');
    expect((await agent.get(headers.location!)).text).toContain('can be ordered here now');

    const direct = await admin.get(`/staff/clients/${DIRECT_CLIENT.id}`);
    expect(direct.text.match(/>Watches</g)).toHaveLength(1);
    expect(cells(direct)).toContainEqual(['LS1 4AP', '', '', 'Open', expect.anything()]);

    const letters = await served('LS1,ONNET');
    expect(letters.map(({ to }) => to[0]).sort()).toEqual(['ada@example.com', 'bo@example.com']);
    expect(letters[0]!.source).toMatch(/Subject: Now available at LS1 4AP[^]*Kind regards,/);
    // Those who were notified are not notified again.
    expect(await served()).toEqual([]);
    await wait('LS1 4AP', 'cy@example.com');
    expect((await served('LS1,ONNET')).map(({ to }) => to[0])).toEqual(['cy@example.com']);
  });

  it('waits while email is off, and gets the email as soon as it is on again', async () => {
    const database = await newDatabase(engine);
    const first = await startService(engine, { database, config: EMAIL_ON });
    await first.given.catalogue();
    await first.get(ClientsService).direct(operator);
    const direct = { clientId: DIRECT_CLIENT.id, isTest: false } as const;
    await first
      .get(WatchesService)
      .putForCaller({ postcode: 'LS1 4AP' }, direct, 'ada@example.com', operator);
    const token = await first.given.token();
    const path = '/product-availability/watch/LS1%204AP';
    const headers = { 'Content-Type': 'application/json' };
    await first.http.send({ method: 'PUT', path, token, headers, body: '{}' });
    await first.close();

    const evaluated = async (service: Service) => {
      await service.get(WatchEvaluationService).evaluate();
      const list = await service.get(OperatorWatchesService).list({ isTest: false }, 9);
      const isDirect = (name: string) => name === DIRECT_CLIENT.name;
      return [
        list.find(({ client }) => isDirect(client))?.state,
        list.find(({ client }) => !isDirect(client))?.state,
        await servedCallers(service),
      ];
    };
    const off = await startService(engine, { database });
    await off.given.catalogue({ coverage: ['EC2A,ONNET', 'LS1,ONNET'] });
    const live = off.get(CatalogueService).current;
    expect((await off.get(WatchEvaluationService).preview(live)).watches).toBe(1);
    expect(await evaluated(off)).toEqual(['open', 'served', []]);
    await off.close();
    const on = await startService(engine, { database, config: EMAIL_ON });
    expect(await evaluated(on)).toEqual(['served', 'served', ['ada@example.com']]);
  });

  it('gets the email also if a colleague asks for a notification just after the publication', async () => {
    const service = await startService(engine, { config: EMAIL_ON });
    await service.given.catalogue();
    await service.get(ClientsService).direct(operator);
    const direct = { clientId: DIRECT_CLIENT.id, isTest: false } as const;
    const wait = (email: string) =>
      service.get(WatchesService).putForCaller({ postcode: 'LS1 4AP' }, direct, email, operator);
    expect(await wait('ada@example.com')).toBe(false);
    await service.given.catalogue({ coverage: ['EC2A,ONNET', 'LS1,ONNET'] });
    expect(await wait('bo@example.com')).toBe(true);
    await service.get(WatchEvaluationService).evaluate();
    expect(await servedCallers(service)).toEqual(['ada@example.com']);
  });

  it('gets no email more than a year after the last request for one', async () => {
    const service = await startService(engine, { config: EMAIL_ON });
    await service.given.catalogue();
    await service.get(ClientsService).direct(operator);
    const direct = { clientId: DIRECT_CLIENT.id, isTest: false } as const;
    const wait = (email: string) =>
      service.get(WatchesService).putForCaller({ postcode: 'LS1 4AP' }, direct, email, operator);
    await wait('ada@example.com');
    service.clock.advance({ milliseconds: 1 });
    await wait('bo@example.com');
    service.clock.advance({ days: 100 });
    await wait('cy@example.com');
    service.clock.advance({ days: 265, milliseconds: -1 });
    await service.given.catalogue({ coverage: ['EC2A,ONNET', 'LS1,ONNET'] });
    await service.get(WatchEvaluationService).evaluate();
    expect(await servedCallers(service)).toEqual(['bo@example.com', 'cy@example.com']);
  });

  it('is stored together with the watch, or neither is, and once by several requests', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    await service.get(ClientsService).direct(operator);
    const direct = { clientId: DIRECT_CLIENT.id, isTest: false } as const;
    const wait = (postcode: string) =>
      service.get(WatchesService).putForCaller({ postcode }, direct, 'ada@example.com', operator);
    const stored = () =>
      service
        .get(Transactions)
        .read(async (tx) => [await tx.count(Watch), await tx.count(WatchCaller)]);
    const injector = new FaultInjector(service);
    for (let n = 1, struck = true; struck; n += 1) {
      injector.arm(n, 'fails');
      const failed = await wait('LS1 4AP').then(
        () => false,
        () => true,
      );
      injector.disarm();
      struck = injector.struck;
      expect([n, failed, await stored()]).toEqual([n, struck, struck ? [0, 0] : [1, 1]]);
    }
    const waits = await Promise.allSettled(Array.from({ length: 6 }, () => wait('LS2 7AA')));
    expect(waits.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await stored()).toEqual([2, 2]);
  });

  it('leaves the list when their watch is erased, or cannot exist any more', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    await service.get(ClientsService).direct(operator);
    const direct = { clientId: DIRECT_CLIENT.id, isTest: false } as const;
    const wait = (postcode: string, email: string, uprn?: string) =>
      service
        .get(WatchesService)
        .putForCaller({ postcode, ...(uprn && { uprn }) }, direct, email, operator);
    const waiting = async () =>
      (await service.get(Transactions).read((tx) => tx.find(WatchCaller)))
        .map(({ email }) => email)
        .sort();
    await wait('LS1 4AP', 'ada@example.com');
    await wait('LS1 4AP', 'bo@example.com');
    await wait('LS1 4AP', 'cy@example.com', '100023336');
    await wait('LS2 7AA', 'dee@example.com');
    const watches = service.get(OperatorWatchesService);
    const listed = await watches.list({ clientId: DIRECT_CLIENT.id, isTest: false }, 10);
    const watch = listed.find(({ postcode, uprn }) => postcode === 'LS1 4AP' && uprn === null)!;
    await watches.erase(watch.watchId, operator);
    expect(await waiting()).toEqual(['cy@example.com', 'dee@example.com']);

    service.clock.advance({ days: 1 });
    await wait('LS1 4AP', 'eve@example.com');
    const pruned = async () => {
      await service.get(RetentionService).prune();
      return waiting();
    };
    service.clock.advance({ days: 365 + 90 - 1 });
    expect(await pruned()).toHaveLength(3);
    service.clock.advance({ milliseconds: 1 });
    expect(await pruned()).toEqual(['eve@example.com']);
  });
});

onOneEngine('a client whose place staff watch on the phone', (engine) => {
  it('keeps its own watch with its condition, and gets the message of the evaluation', async () => {
    const service = await startService(engine, { config: EMAIL_ON });
    await service.given.catalogue();
    const agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const path = '/product-availability/watch/LS1%204AP';
    const own = { reference: 'Leeds', minBandwidth: 0.1, maxPrice: 900, includeBuild: true };
    const put = await service.http.send<ClientWatch>({
      ...{ method: 'PUT', path, token, body: JSON.stringify(own) },
      headers: { 'Content-Type': 'application/json' },
    });
    expect(put.status).toBe(201);
    const { endsAt, ...watch } = put.body;
    const notify = async () => {
      const asked = { postcode: 'LS1 4AP', client: client.id, next: 'watch' };
      const { headers } = await agent.post('/staff/check', asked);
      return (await agent.get(headers.location!)).text;
    };
    const read = async () => (await service.http.get<ClientWatch>(path, { token })).body;
    service.clock.advance({ minutes: 5 });
    expect(await notify()).toContain('They will be notified');
    const renewed = await read();
    expect(renewed).toMatchObject(watch);
    expect(Date.parse(String(renewed.endsAt)) - Date.parse(String(endsAt))).toBe(5 * MINUTE);

    await service.given.catalogue({ coverage: ['EC2A,ONNET', 'LS1,ONNET'] });
    expect(await notify()).toContain('can be ordered here now');
    expect(await read()).toMatchObject({ ...own, state: 'open' });
    await service.get(WatchEvaluationService).evaluate();
    expect(await read()).toMatchObject({ ...own, state: 'served' });
    const [stored] = await service
      .get(Transactions)
      .read((tx) => tx.findBy(Watch, { clientId: client.id }));
    expect(stored?.batch).not.toBeNull();
  });
});

onOneEngine('a message that a place is served', (engine) => {
  /** The answers to a check of an unserved place, and to the forms that old pages may still have. */
  const answers = async (service: Service, client: string) => {
    const agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    const { text } = await agent.get(`/staff/check?postcode=LS1+4AP&client=${client}`);
    const sent = await agent.post('/staff/check', { postcode: 'LS1 4AP', client, next: 'watch' });
    const form = await agent.get(sent.headers.location!);
    const path = sent.headers.location!.replace(/\?.*/, '');
    if (client === '') await agent.post(path, { email: 'ada@example.com' });
    const count = await service
      .get(Transactions)
      .read(async (tx) => (await tx.count(Watch)) + (await tx.count(WatchCaller)));
    return { isOffered: text.includes('value="watch"'), text, form: form.text, count };
  };

  it('is not promised while email is off, to a caller or a client without a webhook', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const { id } = await service.given.client({ name: 'Larkrise' });
    for (const [client, why] of [
      ['', 'Email is off, so the service cannot notify a caller.'],
      [id, 'No email or webhook reaches Larkrise.'],
    ] as const) {
      const found = await answers(service, client);
      expect(found).toMatchObject({ isOffered: false, count: 0 });
      expect(found.text).toContain(why);
      expect(found.form).toContain(why);
      expect(found.form).toContain('Nothing was saved. Log an enquiry instead, and call them.');
    }
  });

  it('is promised to a client with a webhook, also while email is off', async () => {
    const webhookKey = randomBytes(32);
    const service = await startService(engine, { config: { webhookKey } });
    await service.given.catalogue();
    const client = await service.given.client();
    const owner = { clientId: client.id, isTest: false };
    await service.get(WebhooksService).add('https://hooks.example.com/', owner, operator);
    const found = await answers(service, client.id);
    expect(found).toMatchObject({ isOffered: true, count: 1 });
    expect(found.form).toContain('They will be notified');
  });
});

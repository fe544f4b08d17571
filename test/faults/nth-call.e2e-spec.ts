import { beforeAll, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { BackgroundWork } from '../../src/platform/kernel/background-work.js';
import { AccessService } from '../../src/clients/access.service.js';
import { folderOf } from '../support/catalogue.js';
import { FaultInjector, type FaultKind } from '../support/fault-injector.js';
import { smallCatalogue } from '../support/given.js';
import { Ledger } from '../support/ledger.js';
import { enquiry, order } from '../support/orders.js';
import { ENQUIRY, line } from '../support/offers.js';
import { quoteRequest, quotesOf } from '../support/quotes.js';
import { figure, isHeavy, patience } from '../support/rounds.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

/** Prepares an attempt and returns the action to disturb. `n` makes attempts distinct. */
type UseCase = (service: Service, n: number) => Promise<() => Promise<unknown>>;

let token: string;
let staffToken: string;

/** A catalogue that differs from all other attempts and passes every safety check. */
function catalogueFolder(n: number): Promise<string> {
  return folderOf({
    prices: [
      ...smallCatalogue.prices,
      `INT-1G-36,NEARNET,standard,${(1_000 + n / 100).toFixed(2)},GBP,9`,
    ],
  });
}

function importDraft(service: Service, folder: string) {
  const options = { label: 'test', then: 'stay', accept: 'meant', actor: operator } as const;
  return service.get(ImportService).importFiles(folder, options);
}

type OfferId = { readonly offerId: string };

function asStaff(service: Service, path: string, body = {}) {
  return postAsStaff<{ readonly code?: string; readonly offers?: [OfferId, OfferId] }>(
    service.http,
    `/follow-up/orders/${path}`,
    body,
    { token: staffToken },
  );
}

/** An owned enquiry, and what answers it with two offers. */
async function enquiryOf(service: Service, n: number) {
  const { body } = await enquiry(service.http, token, `#${n}#`);
  const id = body.orderId!;
  await placed(asStaff(service, `${id}/claim`, { version: 0 }));
  const offers = [line, line];
  return { id, answer: () => asStaff(service, `${id}/offers`, { version: 1, offers }) };
}

/** After their usual validity. Later attempts are not older than without this. */
async function endOffers(service: Service): Promise<void> {
  service.clock.advance({ days: 35 });
  await service
    .get(OfferExpiryService)
    .endOffers()
    .finally(() => service.clock.advance({ days: -35 }));
}

/** Allows success, or a 503 that permits a retry. */
async function placed(reply: Promise<{ status: number; body: { code?: string } }>): Promise<void> {
  const { status, body } = await reply;
  if (status === 200 || status === 201) return;
  expect([status, body.code]).toEqual([503, 'unavailable']);
  throw new Error('503');
}

/** These two never fail: they retry failed writes later. */
const checkRecords = 'write the records of checks';
const lastUse = "write a token's last use";

const useCases: Readonly<Record<string, UseCase>> = {
  'place an order': (service, n) =>
    Promise.resolve(() => placed(order(service.http, token, `#${n}#`))),
  'place an order with a key': (service, n) =>
    Promise.resolve(() => placed(order(service.http, token, `#${n}#`, `key-${n}`))),
  'place an enquiry with a key': (service, n) =>
    Promise.resolve(() => placed(enquiry(service.http, token, `#${n}#`, `key-${n}`))),
  'make a quote with a key': (service, n) =>
    Promise.resolve(() => placed(quotesOf(service, token).send(quoteRequest, `key-${n}`))),
  'order lines of a quote with a key': async (service, n) => {
    const client = quotesOf(service, token);
    const id = await client.made();
    return () => placed(client.accept(id, { lines: ['1', '2'] }, `key-${n}`));
  },
  'ask for the gaps of a quote with a key': async (service, n) => {
    const client = quotesOf(service, token);
    const id = await client.made();
    return () => placed(client.ask(id, {}, `key-${n}`));
  },
  'copy a quote': async (service) => {
    const client = quotesOf(service, token);
    const id = await client.made();
    return () => placed(client.copy(id));
  },
  'add an API client': (service, n) =>
    Promise.resolve(() => service.given.client({ name: `#${n}#` })),
  'disable an API client': async (service, n) => {
    const { id } = await service.given.client({ name: `#${n}#` });
    return () => service.get(ClientsService).setEnabled(id, false, operator);
  },
  'issue a token': async (service, n) => {
    const client = await service.given.client({ name: `#${n}#` });
    return () => service.given.token({ client });
  },
  'revoke a token': async (service, n) => {
    const client = await service.given.client({ name: `#${n}#` });
    const { id } = await service.given.issuedToken({ client });
    return () => service.get(TokensService).revoke(id, operator);
  },
  [lastUse]: async (service, n) => {
    await service.get(AccessService).writeLastUse();
    const client = await service.given.client({ name: `#${n}#` });
    const used = await service.given.token({ client });
    await service.http.get('/product-availability/order/x', { token: used });
    return () => service.get(AccessService).writeLastUse();
  },
  'add a staff member': (service, n) =>
    Promise.resolve(() => service.given.staff({ email: `#${n}#@operator.example` })),
  'disable a staff member': async (service, n) => {
    const { id } = await service.given.staff({ email: `#${n}#@operator.example` });
    return () => service.get(StaffService).setEnabled(id, false, operator);
  },
  'store a draft of a catalogue': async (service, n) => {
    const folder = await catalogueFolder(n);
    return () => importDraft(service, folder);
  },
  'activate a catalogue': async (service, n) => {
    const { version } = await importDraft(service, await catalogueFolder(n));
    return () => service.get(VersionsService).activate(version!, { accept: 'meant' }, operator);
  },
  [checkRecords]: (service) =>
    Promise.resolve(async () => {
      await service.http.get('/product-availability/postcode/EC2A%202BS', { token });
      await service.flushChecks();
    }),
  'answer an enquiry': async (service, n) => {
    const { answer } = await enquiryOf(service, n);
    return () => placed(answer());
  },
  'accept one of two offers': async (service, n) => {
    const { id, answer } = await enquiryOf(service, n);
    const [{ offerId }] = (await answer()).body.offers!;
    const path = `${ENQUIRY}/${id}/acceptance`;
    return () => placed(service.http.post(path, { offerId }, { token }));
  },
  'withdraw the last offer': async (service, n) => {
    const { id, answer } = await enquiryOf(service, n);
    const [one, two] = (await answer()).body.offers!;
    await placed(asStaff(service, `${id}/offers/${one.offerId}/withdrawal`));
    return () => placed(asStaff(service, `${id}/offers/${two.offerId}/withdrawal`));
  },
  'end expired offers': async (service, n) => {
    // First those that an earlier attempt has left.
    await endOffers(service);
    const { answer } = await enquiryOf(service, n);
    await placed(answer());
    return () => endOffers(service);
  },
  "erase an order's personal data": async (service, n) => {
    const { orderId } = await service.given.order({ token, notes: `#${n}#` });
    return () => service.get(ErasureService).erase(orderId, operator);
  },
  'delete what is too old': async (service, n) => {
    service.clock.advance({ days: 31 });
    await service.get(RetentionService).prune();
    // No token is valid for all attempts, which take two months each.
    token = await service.given.token({ days: 3_650 });
    await placed(order(service.http, token, `#${n}#`, `old-${n}`));
    await service.get(AccessService).writeLastUse();
    service.clock.advance({ days: 31 });
    return () => service.get(RetentionService).prune();
  },
};

const tables = [
  'orders',
  'offers',
  'quotes',
  'idempotency_keys',
  'audit_entries',
  'api_clients',
  'staff_members',
  'access_tokens',
  'catalogue_versions',
  'catalogue_contents',
  'checks',
  'check_days',
  'uncounted_checks',
  'revisions',
];

/** Values that differ between attempts of the same action. */
const volatile = new Set([
  'id',
  'ending',
  'first_number',
  'last_number',
  'mark',
  'answer',
  'body',
  'number',
  'version',
  'catalogue_version',
  'subject_id',
  'details',
  'amount_minor',
  'prices',
  'compared_with',
  'possible_duplicate_of',
]);

/** Counts equal rows, with random values and counters blanked. */
async function state(ledger: Ledger): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  const answers = await ledger.answers<Record<string, unknown>>(
    ...tables.map((table) => `SELECT * FROM ${table}`),
  );
  for (const [i, table] of tables.entries()) {
    for (const row of answers[i]!) {
      if (table === 'offers') row.reference = 'REFERENCE';
      // The hint to open pages follows a change of orders by a quarter of a second.
      if (row.name === 'follow-up') continue;
      const kept = Object.entries(row).filter(
        ([column]) => !volatile.has(column) || (table === 'revisions' && column === 'number'),
      );
      const text = `${table} ${JSON.stringify(kept)}`
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')
        .replaceAll(/[0-9a-f]{64}/g, 'HASH')
        .replaceAll(/(ORD|ENQ|QUO)-[0-9A-Z]{6}/g, '$1')
        .replaceAll(/BESPOKE-[0-9A-Z]{6}/g, 'BESPOKE')
        .replaceAll(/Reseller \d+/g, 'RESELLER')
        .replaceAll(/ada\d+@/g, 'ada@')
        .replaceAll(/(key|old)-\d+/g, 'KEY')
        .replaceAll(/#\d+#/g, '#')
        .replaceAll(/"?[1-9][0-9]{12}"?/g, 'TIME');
      rows.set(text, (rows.get(text) ?? 0) + 1);
    }
  }
  return rows;
}

/** Added and removed rows, sorted; `revisions` as the difference of its numbers. */
function difference(before: Map<string, number>, after: Map<string, number>): string[] {
  const lines: string[] = [];
  for (const text of new Set([...before.keys(), ...after.keys()])) {
    const change = (after.get(text) ?? 0) - (before.get(text) ?? 0);
    const line = text.startsWith('revisions') ? text.replaceAll(/\d+/g, 'N') : text;
    for (let i = 0; i < Math.abs(change); i += 1) lines.push(`${change > 0 ? '+' : '-'} ${line}`);
  }
  return lines.sort();
}

onBothEngines('a database that fails at its n-th call, for every n', (engine) => {
  const kinds: FaultKind[] = ['fails', 'answer lost'];
  if (engine === 'postgres') kinds.push('connection lost');
  let service: Service;
  let injector: FaultInjector;
  let ledger: Ledger;
  let attempts = 0;

  beforeAll(async () => {
    // Each kind of old rows has its own transactions: this deletes keys, not checks.
    const config = { rateLimits: false, checkRetentionDays: 36_500 };
    service = await startService(engine, { config });
    await service.given.catalogue();
    token = await service.given.token({ days: 3_650 });
    staffToken = await service.given.token({ staff: await service.given.staff(), days: 3_650 });
    injector = new FaultInjector(service);
    // Their periodic calls would be counted with those of the running action.
    const { jobs } = service.get<unknown>(BackgroundWork) as { jobs: { timer: NodeJS.Timeout }[] };
    for (const { timer } of jobs) clearTimeout(timer);
    ledger = new Ledger({
      databaseUrl: service.config.databaseUrl,
      sqliteFile: service.config.sqliteFile,
    });
  });

  // The short round has all of them on SQLite, and on PostgreSQL the richest three.
  const all = isHeavy || engine === 'sqlite';
  const richest = ['place an order with a key', 'accept one of two offers', 'activate a catalogue'];
  const tried = all ? Object.keys(useCases) : richest;

  describe.each(tried)('%s', (name) => {
    it(
      'happens completely or not at all',
      async () => {
        const useCase = useCases[name]!;
        const attempt = async (n: number, kind: FaultKind) => {
          const work = await useCase(service, (attempts += 1));
          const before = await state(ledger);
          injector.arm(n, kind);
          const outcome = await work().then(
            () => 'done',
            () => 'failed',
          );
          const { struck, calls } = injector;
          injector.disarm();
          const change = difference(before, await state(ledger));
          await service.flushChecks();
          await service.get(AccessService).writeLastUse();
          const later = difference(before, await state(ledger));
          return { outcome, struck, calls, change, later };
        };

        const undisturbed = await attempt(Infinity, 'fails');
        expect(undisturbed.outcome).toBe('done');
        expect(undisturbed.change).not.toEqual([]);
        let tries = 0;
        let nothing = 0;
        for (const kind of isHeavy ? kinds : kinds.slice(0, 1)) {
          for (let n = 1; n <= undisturbed.calls; n += 1) {
            const { outcome, struck, calls, change, later } = await attempt(n, kind);
            if (!struck) {
              // A periodic call was counted in the undisturbed run, so there is no n-th call.
              expect({ outcome, missing: calls < n }).toEqual({ outcome: 'done', missing: true });
              continue;
            }
            const whole = { kind, n, change: undisturbed.change };
            tries += 1;
            if (change.length === 0) nothing += 1;
            else expect({ kind, n, change }).toEqual(whole);
            // A reported success must be durable.
            if (outcome === 'done') expect({ kind, n, change: later }).toEqual(whole);
            else expect([checkRecords, lastUse]).not.toContain(name);
          }
        }
        expect(tries).toBeGreaterThan(undisturbed.calls / 2);
        expect((await attempt(Infinity, 'fails')).change).toEqual(undisturbed.change);
        figure(
          `${engine}: ${name}: ${undisturbed.calls} calls, a fault at each in ${tries} tries: ${nothing} times nothing had happened, ${tries - nothing} times all, 0 times a part.`,
        );
      },
      patience,
    );
  });
});

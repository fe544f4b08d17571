/**
 * Measures one service for `growth.ts`, in a separate process, so that each starts fresh. `fill` copies clients, tokens
 * and quotes; `measure` prints JSON: microseconds of processor time, and MB.
 */
import type { INestApplicationContext } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApp } from '../src/app.js';
import { AvailabilityService } from '../src/availability/availability.service.js';
import { ImportService } from '../src/catalogue/versions/import.service.js';
import { AccessService } from '../src/clients/access.service.js';
import { AccessToken } from '../src/clients/access-token.entity.js';
import { ApiClient } from '../src/clients/api-client.entity.js';
import { onTelephone, placingOf } from '../src/orders/placing/ordering-client.js';
import { PlacingService } from '../src/orders/placing/placing.service.js';
import { newQuoteReference } from '../src/orders/record/references.js';
import type { StaffCaller } from '../src/platform/access/caller.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { readConfig } from '../src/platform/config/config.js';
import { newId } from '../src/platform/database/new-id.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { parsePostcode, Postcode } from '../src/platform/kernel/postcode.js';
import { groupsOf, nextTurn } from '../src/platform/kernel/turns.js';
import { FollowUpService } from '../src/queue/lists/follow-up.service.js';
import { QuotesService } from '../src/quotes/quotes.service.js';
import { Quote } from '../src/quotes/record/quote.entity.js';
import { StaffService } from '../src/staff/staff.service.js';
import type { GrowthCosts, GrowthFill, GrowthPlan } from './growth-plan.js';
import { median } from './options.js';

/** Rows of one statement. */
const GROUP = 200;
const ROUNDS = 3;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Microseconds of processor time of one call, the median of some rounds; the first warms up. */
async function costOf(calls: number, work: (n: number) => unknown): Promise<number> {
  const costs: number[] = [];
  for (let turn = 0; turn <= ROUNDS; turn += 1) {
    const before = process.cpuUsage();
    for (let n = 0; n < calls; n += 1) {
      await work(turn * calls + n);
      // Otherwise what the service writes in the background runs out of time.
      if (n % 50 === 49) await nextTurn();
    }
    const { user, system } = process.cpuUsage(before);
    if (turn > 0) costs.push((user + system) / calls);
  }
  return median(costs);
}

/** Adds copies of the client with its token, and of one quote. */
async function fill(app: INestApplicationContext, { clients, quotes }: GrowthFill): Promise<void> {
  const transactions = app.get(Transactions, { strict: false });
  const [client, token] = await transactions.read(async (tx) => {
    const found = await tx.findOneByOrFail(ApiClient, { name: 'Bench' });
    return [found, await tx.findOneByOrFail(AccessToken, { clientId: found.id })] as const;
  });
  for (const group of groupsOf(range(clients), GROUP)) {
    await transactions.run(async (tx) => {
      const copies = group.map(() => ({ ...client, id: newId(), name: `Bench ${newId()}` }));
      await tx.insert(ApiClient, copies);
      const tokens = copies.map(({ id: clientId }) => {
        return { ...token, id: newId(), clientId, hash: randomBytes(32).toString('hex') };
      });
      await tx.insert(AccessToken, tokens);
    });
  }
  const sites = Array.from({ length: 20 }, () => ({ postcode: 'EC2A 2BS' }));
  const asked = { wanted: { bandwidth: 0.1 }, sites };
  const { quoteId } = await app
    .get(QuotesService, { strict: false })
    .create(asked, undefined, onTelephone(client), operator);
  const quote = await transactions.read((tx) => tx.findOneByOrFail(Quote, { id: quoteId }));
  for (const group of groupsOf(range(quotes), GROUP)) {
    await transactions.run((tx) =>
      tx.insert(
        Quote,
        group.map(() => ({ ...quote, id: newId(), reference: newQuoteReference() })),
      ),
    );
  }
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

async function memberOf(app: INestApplicationContext): Promise<StaffCaller> {
  const about = { name: 'Growth', email: 'growth@example.com', role: 'manager' } as const;
  const { id } = await app.get(StaffService, { strict: false }).add(about, operator);
  const { name, role } = about;
  return { kind: 'staff', staffId: id, tokenId: id, name, role, scopes: new Set() };
}

async function measure(
  app: INestApplicationContext,
  { token, postcodes, product, changes }: GrowthPlan,
  start: number,
): Promise<GrowthCosts> {
  const get = <T>(type: new (...parameters: never[]) => T) => app.get(type, { strict: false });
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const header = `Bearer ${token}`;
  const access = get(AccessService);
  const client = await access.callerOf(token);
  if (client.kind !== 'client') throw new Error('The token is not of a client.');
  access.remember(header, client);
  const availability = get(AvailabilityService);
  const check = (text: string) => {
    const postcode = parsePostcode(text);
    if (!(postcode instanceof Postcode)) throw new Error(`${text} is no postcode.`);
    return costOf(20_000, () => {
      const caller = access.recognise(header);
      if (caller?.kind !== 'client') throw new Error('The token is not known.');
      availability.check({ postcode, uprn: null }, caller);
    });
  };
  const me = await memberOf(app);
  const followUp = get(FollowUpService);
  const placing = get(PlacingService);
  const order = { postcode: postcodes.few, productCode: product };
  const costs = {
    check: await check(postcodes.few),
    own: await check(postcodes.many),
    order: await costOf(150, () => placing.placeOrder(order, undefined, placingOf(client))),
    list: await costOf(60, () => followUp.list({ view: 'open', limit: 50 }, me)),
    search: await costOf(60, (n) =>
      followUp.list({ view: 'all', limit: 50, q: `contact${n % 50_000}` }, me),
    ),
    quotes: await costOf(60, () => get(QuotesService).list({ limit: 50 }, client)),
  };
  const importing = get(ImportService);
  const publications: number[] = [];
  for (const path of changes) {
    const before = process.cpuUsage();
    const about = { label: 'bench', actor: operator, activate: true, accept: 'bench' };
    const { outcome } = await importing.importFiles(path, about);
    if (outcome !== 'active') throw new Error(`The change was not published: ${outcome}`);
    const { user, system } = process.cpuUsage(before);
    publications.push((user + system) / 1_000);
  }
  return {
    ...costs,
    start,
    memory: (heapUsed + external) / 1e6,
    publication: median(publications),
  };
}

const plan = JSON.parse(process.argv[2]!) as GrowthFill | GrowthPlan;
const before = process.cpuUsage();
const app = await createApp(readConfig(process.env));
app.useLogger(false);
try {
  await app.init();
  const { user, system } = process.cpuUsage(before);
  if ('token' in plan) {
    console.log(JSON.stringify(await measure(app, plan, (user + system) / 1_000)));
  } else await fill(app, plan);
} finally {
  await app.close();
}

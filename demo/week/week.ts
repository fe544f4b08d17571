import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { CatalogueContent } from '../../src/catalogue/content/catalogue.js';
import { readCatalogue } from '../../src/catalogue/worker/read-files.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { RegisterService } from '../../src/catalogue/versions/register.service.js';
import { decodePositions } from '../../src/near-net/positions.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { AccessToken } from '../../src/clients/access-token.entity.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { usualClientScopes } from '../../src/platform/access/scopes.js';
import { subtractWorkingTime } from '../../src/platform/kernel/working-hours.js';
import { Config } from '../../src/platform/config/config.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DeadlinesService } from '../../src/orders/placing/deadlines.service.js';
import type { WorkKind } from '../../src/orders/record/order-states.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { DemoChecks } from './checks.js';
import { DemoClock } from './clock.js';
import { deliverOrders } from './deliveries.js';
import { DemoDeals, type Happening } from './deals.js';
import { type Cast, type DemoClient, DemoOrders } from './orders.js';
import {
  administrator,
  colleagues,
  commercialManager,
  companies,
  type DemoCompany,
  type DemoPerson,
  formerColleague,
  viewer,
} from './people.js';
import { planWeek } from './plan.js';
import { Chance } from './random.js';
import { DAY } from '../../src/platform/kernel/time.js';

const SEED = 20_261_121;

export const DEMO_CATALOGUE: readonly string[] = ['demo/catalogue', 'demo/near-net', 'demo/map'];

/** Two of the answers to enquiries are above it. */
export const APPROVAL_OVER = { amount: 50_000, currency: 'GBP' };

export interface DemoWeek {
  readonly orders: number;
  readonly enquiries: number;
  readonly moves: number;
  readonly checks: number;
}

/**
 * Creates the past week of a small operator, if the service has no orders yet. The services create
 * everything, each at its own time.
 */
export async function fillDemoWeek(
  service: INestApplicationContext,
  now = new Date(),
): Promise<DemoWeek | null> {
  const config = service.get(Config);
  const empty = await service
    .get(Transactions, { strict: false })
    .read(async (tx) => (await tx.count(Order)) === 0);
  if (!empty) return null;
  const clock = new DemoClock(now);
  // No notifications of events that happened days ago.
  const silent: Config = {
    ...config,
    smtp: null,
    webhookKey: null,
    staleClaimHours: 0,
    offerApprovalOver: APPROVAL_OVER,
  };
  const past = await NestFactory.createApplicationContext(AppModule.forRoot(silent, clock), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    return await tell(past, clock, now);
  } finally {
    await past.close();
    await service.get(RevisionsService, { strict: false }).look();
  }
}

async function tell(
  service: INestApplicationContext,
  clock: DemoClock,
  now: Date,
): Promise<DemoWeek> {
  const { calendar } = service.get(DeadlinesService, { strict: false });
  const chance = new Chance(SEED);
  const cast = await hire(service, clock, now);
  const checks = new DemoChecks(service, chance);
  const made = checks.makeWeek(now, calendar, cast.clients);
  const orders = new DemoOrders(service, clock, calendar, now, chance, checks, cast);
  const plan = planWeek(now, calendar, chance);
  const deals = new DemoDeals(service, clock, calendar, now, new Chance(SEED + 1), cast);
  const happenings = [
    ...plan.flatMap((order): Happening[] => [
      { at: order.arrivesAt, isMove: false, happen: () => orders.place(order) },
      ...order.steps.map((step) => ({
        at: step.at,
        isMove: true,
        happen: () => orders.step(order, step),
      })),
    ]),
    ...deals.happenings(),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  for (const { happen } of happenings) await happen();
  await deliverOrders(service, clock.now(), cast);
  const count = (kind: WorkKind) =>
    service.get(Transactions, { strict: false }).read((tx) => tx.countBy(Order, { kind }));
  const moves = happenings.filter(({ isMove }) => isMove).length;
  return {
    orders: await count('order'),
    enquiries: await count('enquiry'),
    moves,
    checks: made,
  };
}

/** The catalogue, companies with tokens, and people at the start of the week. */
async function hire(service: INestApplicationContext, clock: DemoClock, now: Date): Promise<Cast> {
  const daysAgo = (days: number) => clock.set(new Date(now.getTime() - days * DAY));
  daysAgo(120);
  const manager = await join(service, colleagues[0]!);
  await join(service, administrator);
  await join(service, commercialManager);
  await loadCatalogue(service);
  const agents: StaffCaller[] = [];
  for (const [n, person] of colleagues.slice(1).entries()) {
    daysAgo(110 - 9 * n);
    agents.push(await join(service, person));
  }
  const me = await join(service, viewer);
  const { staffId } = await join(service, formerColleague);
  daysAgo(24);
  await service.get(StaffService, { strict: false }).setEnabled(staffId, false, operator);
  const clients: DemoClient[] = [];
  for (const [n, company] of companies.entries()) {
    daysAgo(100 - 11 * n);
    clients.push(await sign(service, company, n === 3 ? 85 : 365, now));
  }
  return { clients, viewer: me, manager, colleagues: agents };
}

/**
 * The positions of London's postcodes, and the catalogue with prices by distance, unless there is a catalogue.
 * @param folders each adds its files to those before
 */
export async function loadCatalogue(
  service: INestApplicationContext,
  folders = DEMO_CATALOGUE,
): Promise<void> {
  if (service.get(CatalogueService, { strict: false }).loaded) return;
  await service
    .get(RegisterService, { strict: false })
    .importFile('demo/near-net/positions.csv.gz', { actor: operator });
  const stored = await service.get(RegisterService, { strict: false }).storedPositions();
  const positions = () => stored && decodePositions(stored);
  let content: CatalogueContent | null = null;
  for (const folder of folders) {
    const read = await readCatalogue(folder, { base: content, positions });
    if (!read.content) throw new Error(`${folder} has ${read.faults.total} faults.`);
    content = read.content;
  }
  await service.get(ImportService, { strict: false }).importContent(content!, 'demo', operator);
}

async function join(
  service: INestApplicationContext,
  { name, email, role }: DemoPerson,
): Promise<StaffCaller> {
  const staff = service.get(StaffService, { strict: false });
  const member =
    (await staff.list()).find((one) => one.email === email) ??
    (await staff.add({ name, email, role }, operator));
  return {
    kind: 'staff',
    staffId: member.id,
    tokenId: member.id,
    name: member.name,
    role: member.role,
    scopes: new Set(),
  };
}

/** A company signs the contract and receives its token. */
async function sign(
  service: INestApplicationContext,
  { prefix, weight, ...about }: DemoCompany,
  days: number,
  now: Date,
): Promise<DemoClient> {
  const clients = service.get(ClientsService, { strict: false });
  const client =
    (await clients.list()).find(({ name }) => name === about.name) ??
    (await clients.add(about, operator));
  const label = 'shop';
  const { id, expiresAt } = await service
    .get(TokensService, { strict: false })
    .issue(
      { holder: { clientId: client.id }, kind: 'live', label, scopes: usualClientScopes, days },
      operator,
    );
  const { calendar } = service.get(DeadlinesService, { strict: false });
  const lastUsedAt = subtractWorkingTime(now, weight * 60_000, calendar);
  await service
    .get(Transactions, { strict: false })
    .run((tx) => tx.update(AccessToken, { id }, { lastUsedAt }));
  return {
    kind: 'client',
    clientId: client.id,
    tokenId: id,
    name: client.name,
    priceList: client.priceList,
    compatibility: client.compatibility,
    nearNet: client.nearNet,
    interconnects: client.interconnects,
    scopes: new Set(usualClientScopes),
    isTest: false,
    quota: client.id,
    token: { label, expiresAt },
    limits: { lookupsPerMinute: null, lookupBurst: null, ordersPerMinute: null, inFlight: null },
    prefix,
    weight,
  };
}

/** The business of a history: its clients, staff and first catalogue, in the service and in the model. */
import { randomUUID } from 'node:crypto';
import { parseCatalogueFiles } from '../../src/catalogue/content/files/csv-reader.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { type IssuedToken, TokensService } from '../../src/clients/tokens.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { usualClientScopes, scopesOfRole } from '../../src/platform/access/scopes.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { QuoteDraftsService } from '../../src/quotes/quote-drafts.service.js';
import { QuoteErasureService } from '../../src/quotes/quote-erasure.service.js';
import { StaffQuotesService } from '../../src/quotes/staff-quotes.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import type { CatalogueModel, PriceRow } from './model/catalogue.js';
import type { ClientModel, MemberModel, Model, Role } from './model/model.js';
import type { Sites } from './model/quotes.js';
import { dayAfter, dayOf } from './model/time.js';
import type { Random } from './random.js';
import type { Services, SimulatedService } from './simulated-service.js';

const DAYS = 3_650;

/** Settings that differ between histories. */
export function drawSettings(random: Random): Record<string, string> {
  return {
    STALE_CLAIM_HOURS: '0',
    QUOTE_HOLD: random.pick(['all', 'all', 'none']),
    VOLUME_COUNTS: random.pick(['quote', 'order']),
    REMIND_CLIENT_AFTER: random.pick(['1', '2', '5', 'off']),
    PRICE_HOLD_MINUTES: random.pick(['15', '15', '0', '1440']),
    ...(random.chance(50) && { ACCEPTANCE_ALONE_UP_TO: random.pick(['100 GBP', '500 GBP']) }),
    OFFER_APPROVAL_BELOW_PERCENT: '100',
    ...(random.chance(50) && { OFFER_APPROVAL_OVER: '15000 GBP' }),
  };
}

export async function newWorld(
  service: SimulatedService,
  settings: Readonly<Record<string, string>>,
  random: Random,
): Promise<Model> {
  const clients: ClientModel[] = [];
  for (const [i, priceList] of ['standard', 'partner', 'gold'].entries()) {
    const name = `Reseller ${'ABC'[i]}`;
    const { id } = await service.get(ClientsService).add(
      {
        name,
        contactName: 'Grace Hopper',
        contactEmail: 'grace@reseller.example',
        contactPhone: '+44 20 7946 0123',
        priceList,
        compatibility: '0.3',
      },
      operator,
    );
    const { token, id: tokenId } = await tokenFor(service, { clientId: id }, usualClientScopes);
    const test = await tokenFor(service, { clientId: id }, usualClientScopes, 'test');
    await orderInSandbox(service, test.token);
    const hook = `/${'abc'[i]}`;
    const url = service.receiver.urlOf(hook);
    const path = '/product-availability/webhook';
    const answer = await service.send({ method: 'PUT', path, token, body: { url } });
    if (answer?.status !== 200) throw new Error(`The webhook is refused: ${answer?.text}`);
    clients.push({ name, priceList, id, token, tokenId, testToken: test.token, hook, ended: [] });
  }
  const members: MemberModel[] = [];
  for (const [name, role] of [
    ['Ann', 'agent'],
    ['Bob', 'agent'],
    ['Mary', 'manager'],
    ['Max', 'manager'],
  ] as const) {
    members.push({ name, role, isEnabled: true, ...(await addMember(service, name, role)) });
  }
  const commercial = { name: 'Cora', role: 'commercial', email: 'cora@operator.example' } as const;
  const cora = await service.get(StaffService).add(commercial, operator);
  const model: Model = {
    now: service.now,
    rules: {
      holdMinutes: Number(settings.PRICE_HOLD_MINUTES),
      acceptAloneUpTo: settings.ACCEPTANCE_ALONE_UP_TO
        ? parseFloat(settings.ACCEPTANCE_ALONE_UP_TO) * 100
        : null,
      approvalOver: settings.OFFER_APPROVAL_OVER
        ? parseFloat(settings.OFFER_APPROVAL_OVER) * 100
        : Infinity,
      holdsQuotes: settings.QUOTE_HOLD === 'all',
      countsOrdered: settings.VOLUME_COUNTS === 'order',
      remindAfter:
        settings.REMIND_CLIENT_AFTER === 'off' ? null : Number(settings.REMIND_CLIENT_AFTER),
    },
    clients,
    members,
    commercial: {
      id: cora.id,
      token: (await tokenFor(service, { staffMemberId: cora.id }, [...scopesOfRole('commercial')]))
        .token,
    },
    catalogue: drawCatalogue(service.now, random),
    live: 0,
    published: [],
    checks: [],
    requests: [],
    quotes: [],
    watches: [],
    served: [],
    events: [],
    erased: [],
    audit: [],
  };
  model.live = (await publish(service, model.catalogue)).version;
  model.published.push({ version: model.live, catalogue: model.catalogue });
  model.audit.push(...(await service.audit()));
  return model;
}

type Holder = Parameters<TokensService['issue']>[0]['holder'];
type Scopes = Parameters<TokensService['issue']>[0]['scopes'];

async function tokenFor(
  service: Services,
  holder: Holder,
  scopes: Scopes,
  kind: 'live' | 'test' = 'live',
): Promise<IssuedToken> {
  const request = { holder, kind, label: 'simulation', scopes, days: DAYS } as const;
  return service.get(TokensService).issue(request, operator);
}

/** No one may meet it among live orders. */
async function orderInSandbox(service: SimulatedService, token: string): Promise<void> {
  const body = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12' };
  const path = '/product-availability/order';
  const answer = await service.send({ method: 'POST', path, token, body });
  if (answer?.status !== 201) throw new Error(`The sandbox refuses an order: ${answer?.text}`);
}

/** A client gets another token, and the one before ends at once. */
export async function replaceToken(
  service: Services,
  { id: clientId, tokenId: before }: Pick<ClientModel, 'id' | 'tokenId'>,
) {
  const { token, id: tokenId } = await tokenFor(service, { clientId }, usualClientScopes);
  await service.get(TokensService).revoke(before, operator);
  return { token, tokenId };
}

/** Makes a catalogue the live one. */
export async function publish(
  service: Services,
  catalogue: CatalogueModel,
): Promise<{ readonly version: number }> {
  const { content, faults } = parseCatalogueFiles(filesOf(catalogue));
  if (!content) throw new Error(`The simulation's catalogue is wrong: ${JSON.stringify(faults)}`);
  return service.get(ImportService).importContent(content, 'simulation', operator);
}

/** Makes an earlier catalogue the live one again. */
export async function restore(service: Services, version: number): Promise<void> {
  await service.get(VersionsService).restore(version, { accept: 'It was right.' }, operator);
}

/** Someone joins the staff. */
export async function addMember(service: Services, name: string, role: Role) {
  const email = `${name.toLowerCase().replace(' ', '-')}@operator.example`;
  const { id } = await service.get(StaffService).add({ name, role, email }, operator);
  const { token } = await tokenFor(service, { staffMemberId: id }, [...scopesOfRole(role)]);
  return { id, token };
}

/** A member of staff gets another role, leaves or comes back. */
export async function setMember(
  service: Services,
  id: string,
  { role, isEnabled }: { readonly role?: Role; readonly isEnabled?: boolean },
): Promise<void> {
  const staff = service.get(StaffService);
  if (role !== undefined) await staff.setRole(id, role, operator);
  if (isEnabled !== undefined) await staff.setEnabled(id, isEnabled, operator);
}

export async function erase(service: Services, of: 'request' | 'quote', id: string) {
  if (of === 'quote') await service.get(QuoteErasureService).erase(id, operator);
  else await service.get(ErasureService).erase(id, operator);
}

const actorFor = ({ id, name }: MemberModel) => ({ type: 'staff', id, name }) as const;

/** A member of staff makes a quote of a client's list and sends it. */
export async function sendQuote(
  service: Services,
  member: MemberModel,
  { client, reference, sites }: Omit<Sites, 'client'> & { readonly client: string },
) {
  const drafts = service.get(QuoteDraftsService);
  const rows = sites.map(
    ({ postcode, wanted }) => `${postcode},${wanted.bandwidth} Gbit/s,${wanted.term ?? ''}`,
  );
  const list = ['postcode,bandwidth,term', ...rows].join('\n');
  const about = { client, reference: reference ?? undefined, sites: list };
  const id = await drafts.start({ id: randomUUID(), ...about }, actorFor(member));
  await drafts.answer(id, { service: '' });
  const { version } = await drafts.find(id);
  const named = await drafts.send(id, version, new Map(), actorFor(member));
  return service.get(StaffQuotesService).find(named);
}

export async function withdraw(service: Services, member: MemberModel, quote: string) {
  return { isDone: await service.get(StaffQuotesService).withdraw(quote, actorFor(member)) };
}

export async function undoQuote(service: Services, member: MemberModel, quote: string) {
  const done = await service.get(StaffQuotesService).undo(quote, actorFor(member));
  return { isDone: done !== false };
}

const products = [
  { code: 'INT-100M-12', name: '100M Internet', provisioned: 0.1, capacity: 1, term: 12 },
  { code: 'INT-1G-12', name: '1G Internet', provisioned: 1, capacity: 10, term: 12 },
  { code: 'INT-1G-36', name: '1G Internet', provisioned: 1, capacity: 10, term: 36 },
  { code: 'ETH-10G-36', name: '10G Ethernet', provisioned: 10, capacity: 10, term: 36 },
] as const;
const zones = ['ONNET', 'NEARNET', 'FUTURE'] as const;

/** Another catalogue of the same places: prices, dates, lists and zones differ. */
export function drawCatalogue(now: number, random: Random): CatalogueModel {
  const today = dayOf(now);
  const someDay = () => dayAfter(today, random.below(12) - 2);
  const prices: PriceRow[] = [];
  const price = (product: string, zone: string, list: string): PriceRow => ({
    product,
    zone,
    list,
    price: 10_000 + random.below(8_000) * 10,
    leadTimeDays: random.pick([10, 30, 84]),
    setup: random.pick([null, 0, 25_000]),
    basis: random.pick(['firm', 'firm', 'subjectToSurvey', 'indicative'] as const),
    from: '',
    until: '',
  });
  for (const { code } of products) {
    for (const zone of zones) {
      if (!random.chance(zone === 'NEARNET' ? 50 : 85)) continue;
      prices.push(price(code, zone, 'standard'));
      if (random.chance(25)) prices.push(price(code, zone, 'partner'));
      if (!random.chance(30)) continue;
      const from = someDay();
      const until = random.chance(70) ? dayAfter(from, random.below(6)) : '';
      prices.push({ ...price(code, zone, 'standard'), from, until });
    }
  }
  return {
    products: products.map((product) => {
      const soldFrom = random.chance(8) ? someDay() : '';
      const isEnding = random.chance(12);
      return {
        ...product,
        soldFrom,
        soldUntil: isEnding ? dayAfter(soldFrom || today, 3 + random.below(10)) : '',
        service: product.code.startsWith('INT') ? 'Internet' : 'Ethernet',
      };
    }),
    prices,
    zones: [
      { zone: 'ONNET', network: 'onNetWithoutBuild', readyDate: '', endDate: '' },
      {
        zone: 'NEARNET',
        network: '',
        readyDate: '',
        endDate: random.chance(30) ? dayAfter(today, random.below(8)) : '',
      },
      { zone: 'FUTURE', network: 'onNetWithBuild', readyDate: someDay(), endDate: '' },
    ],
    lists: [
      { list: 'gold', basedOn: 'standard', percent: -12, roundTo: random.pick([1, 50, 100]) },
    ],
    volume: random.pick([
      [],
      [
        { list: '*', products: 'INT-*', from: 2, percent: 10 },
        { list: '*', products: '*', from: 3, percent: 20 },
      ],
    ]),
    coverage: {
      EC2A: 'ONNET',
      'EC2A 2BR': '-',
      'SW1A 1AA': random.pick(['ONNET', 'NEARNET', 'FUTURE']),
      N1: 'NEARNET',
      'N1 9': random.pick(['ONNET', 'FUTURE', '-']),
    },
  };
}

/** The files of a catalogue. */
function filesOf({
  products: sold,
  prices,
  zones: areas,
  lists,
  volume,
  coverage,
}: CatalogueModel) {
  const csv = (header: string, rows: readonly (readonly (string | number | null)[])[]) =>
    [header, ...rows.map((row) => row.map((cell) => cell ?? '').join(',')), ''].join('\n');
  const pounds = (pence: number | null) => (pence === null ? null : (pence / 100).toFixed(2));
  return {
    products: csv(
      'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months,sold_from,sold_until,service',
      sold.map((one) => [
        one.code,
        one.name,
        one.provisioned,
        one.capacity,
        one.term,
        one.soldFrom,
        one.soldUntil,
        one.service,
      ]),
    ),
    prices: csv(
      'product,zone,price_list,price,currency,lead_time_days,setup_price,basis,valid_from,valid_until',
      prices.map((row) => [
        row.product,
        row.zone,
        row.list,
        pounds(row.price),
        'GBP',
        row.leadTimeDays,
        pounds(row.setup),
        row.basis,
        row.from,
        row.until,
      ]),
    ),
    zones: csv(
      'zone,network,ready_date,end_date',
      areas.map((one) => [one.zone, one.network, one.readyDate, one.endDate]),
    ),
    priceLists: csv(
      'price_list,based_on,percent,round_to',
      lists.map((one) => [one.list, one.basedOn, one.percent, pounds(one.roundTo)]),
    ),
    volume: csv(
      'price_list,products,from_lines,percent',
      volume.map((row) => [row.list, row.products, row.from, row.percent]),
    ),
    coverage: csv('place,zone', Object.entries(coverage)),
  };
}

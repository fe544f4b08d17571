import { randomUUID } from 'node:crypto';
import { In } from 'typeorm';
import { Transactions } from '../../src/platform/database/transactions.js';
import { deliveryStops } from './delivery-stops.js';
import { Charge } from '../../src/orders/record/charge.entity.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { ownedStates } from '../../src/orders/record/order-states.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { LIVE } from '../../src/platform/database/sides.js';
import { ordersOn } from '../../src/orders/record/order-tables.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { BespokeOffer } from '../../src/orders/record/bespoke-offer.entity.js';
import { LinksService } from '../../src/staff/sign-in/links.service.js';
import type { SessionStage } from '../../src/staff/sessions/staff-session.entity.js';
import { givenDraft, quotesOf } from '../support/quotes.js';
import { StaffBrowser } from '../support/staff-browser.js';
import type { World } from './world.js';
import { postAsStaff } from '../support/moves.js';

/** A page to look at. */
export interface Stop {
  readonly name: string;
  /** As in the controllers. */
  readonly route: string;
  readonly path: (world: World) => string | Promise<string>;
  /** Default 200. */
  readonly status?: number;
  /** Needs no sign-in. */
  readonly outside?: true;
  /** The sign-in has reached this stage. */
  readonly stage?: SessionStage;
}

const at = (route: string, query = '', about: Partial<Stop> = {}): Stop => ({
  name: route.replace('/staff', '') + query || 'home',
  route,
  path: () => route + query,
  ...about,
});

const orderRoute = '/staff/orders/:reference';
const orderIn = (state: Parameters<World['order']>[0], mine = false): Stop => ({
  name: `an order, ${state}${mine ? ', mine' : ''}`,
  route: orderRoute,
  path: async (world) => {
    const { reference } = await world.order(state, mine ? world.admin : undefined);
    return `/staff/orders/${reference}`;
  },
});

/** The address of an enquiry that was logged for a caller. */
async function loggedEnquiry(world: World): Promise<string> {
  const browser = await StaffBrowser.signedIn(world.service, {}, world.admin);
  const form = `${await recordedCheck(world, false)}/enquiry`;
  const typed = {
    bandwidth: '10',
    term: '36',
    description: 'Dark fibre.',
    name: 'Ada',
    phone: '020 7946 0123',
  };
  const reply = await browser.post(form, { ...typed, key: randomUUID() });
  // That address has the id and redirects to the one with the reference.
  const { headers } = await browser.get(reply.headers.location!);
  return headers.location!.replace(/\?.*/, '');
}

const formOf = (move: string, state: Parameters<World['order']>[0], mine = true): Stop => ({
  name: `the form: ${move}`,
  route: '/staff/orders/:reference/:move',
  path: async (world) => {
    const { reference } = await world.order(state, mine ? world.admin : undefined);
    return `/staff/orders/${reference}/${move}`;
  },
});

const offer = {
  name: '2G Internet over microwave',
  bandwidthProvisioned: 2,
  term: 24,
  price: 549.99,
  setupPrice: 1_200,
  currency: 'GBP',
  leadTimeDays: 60,
  basis: 'subjectToSurvey',
  note: 'Includes a new duct from the street.',
};

/** An enquiry with two offers. @param by their author; they await approval if it is not the administrator */
async function answeredEnquiry({ service, admin, agent }: World, by: 'admin' | 'agent') {
  const clientReference = `tour-${by}`;
  const { http, given } = service;
  const member = by === 'admin' ? admin : agent;
  const transactions = service.get(Transactions);
  const find = () => transactions.read((tx) => tx.findOneBy(Order, { clientReference }));
  if (!(await find())) {
    const body = { postcode: 'EC2A 2BS', wanted: { bandwidth: 2 }, reference: clientReference };
    await http.post('/product-availability/enquiry', body, { token: await given.token() });
    const { id } = (await find())!;
    const token = await given.token({ staff: member });
    const path = `/follow-up/orders/${id}`;
    await postAsStaff(http, `${path}/claim`, { version: 0 }, { token });
    const answer = { version: 1, offers: [offer, { ...offer, term: 36 }] };
    const { status } = await postAsStaff(http, `${path}/offers`, answer, { token });
    if (status !== 201) throw new Error(`The answer was refused: ${status}.`);
    if (by === 'agent') {
      await transactions.run((tx) =>
        tx.update(BespokeOffer, { enquiryId: id }, { state: 'awaitingApproval', openedAt: null }),
      );
    }
  }
  const { id, reference } = (await find())!;
  const [first] = await transactions.read((tx) => tx.findBy(BespokeOffer, { enquiryId: id }));
  return { reference, offerId: first!.id };
}

/** An open order of someone, with an extra charge that awaits an answer. */
async function chargedOrder({ service, admin }: World) {
  const actor = { type: 'staff', id: admin.id, name: admin.name } as const;
  const orders = await service.get(Transactions).read((tx) =>
    tx.find(Order, {
      where: { state: In(ownedStates) },
      order: { receivedAt: 'ASC', id: 'ASC' },
    }),
  );
  const order = orders.find(({ terms }) => terms?.extraChargesPossible)!;
  return service.get(Transactions).run(async (all) => {
    const tx = ordersOn(all, LIVE);
    const [known] = await tx.findBy(Charge, { orderId: order.id });
    if (known) return { reference: order.reference, chargeId: known.id };
    const note = 'Traffic management, two nights: '.repeat(6);
    const proposal = { category: 'construction', amount: 1_250, note } as const;
    const charge = await service.get(ChargesService).propose(tx, order, proposal, actor);
    return { reference: order.reference, chargeId: charge.id };
  });
}

/** The path of a check that was recorded by telephone. */
async function recordedCheck(world: World, isClient = true): Promise<string> {
  const browser = await StaffBrowser.signedIn(world.service, {}, world.admin);
  const client = await world.service.get(ClientsService).find('Quillfeather Networks');
  const fields = { postcode: 'EC2A 2BS', client: isClient ? client.id : '' };
  const reply = await browser.post('/staff/check', fields);
  return reply.headers.location!.replace(/\?.*/, '');
}

async function clientPage({ service }: World): Promise<string> {
  const { id } = await service.get(ClientsService).find('Quillfeather Networks');
  return `/staff/clients/${id}`;
}

async function linkTo(world: World): Promise<string> {
  const { url } = await world.service.get(LinksService).make(world.agent.id, operator);
  return new URL(url).pathname;
}

const liveVersion = () => Promise.resolve(1);

/** A draft with dearer prices, which needs a reason. Made again, it is the same version. */
async function draftOfCatalogue({ service }: World): Promise<number> {
  const all = { priceList: null, product: null, zone: null, roundTo: null, floor: null };
  const change = { ...all, from: null, until: null, percent: 40, setupPercent: 40 };
  const by = { label: 'Dearer', actor: operator };
  const { version } = await service.get(ImportService).adjustPrices(change, by);
  return version!;
}

function ofCatalogue(
  name: string,
  page: string,
  number: (world: World) => Promise<number>,
  query = '',
): Stop {
  const below = page && `/${page}`;
  return {
    name: `the catalogue: ${name}`,
    route: `/staff/catalogue/versions/:number${below}`,
    path: async (world) => `/staff/catalogue/versions/${await number(world)}${below}${query}`,
  };
}

/** Every page, in each state that looks different. */
export const tour: readonly Stop[] = [
  at('/staff/sign-in', '', { outside: true }),
  at('/staff/sign-in/code', '', { outside: true, stage: 'second-factor' }),
  at('/staff/sign-in/enrolment', '', { outside: true, stage: 'enrolment' }),
  { name: 'a link', route: '/staff/set-password/:secret', path: linkTo, outside: true },
  {
    name: 'a link that has ended',
    route: '/staff/set-password/:secret',
    path: () => '/staff/set-password/nothing',
    outside: true,
    status: 410,
  },
  at('/staff/account'),
  at('/staff/account/password'),
  at('/staff/account/second-factor'),
  ...['', 'view=mine', 'view=due', 'view=late', 'view=open', 'view=closed'].map((query) =>
    at('/staff/queue', query && `?${query}`),
  ),
  at('/staff/queue', '?view=waiting&product=NONE'),
  at('/staff/queue', '?view=open&sort=-price&family=INT&term=36'),
  at('/staff/search', '?q=nothing-like-this'),
  at('/staff/search', '?q=Quillfeather'),
  at('/staff/keys'),
  {
    name: 'a quote',
    route: '/staff/quotes/:quote',
    async path({ service }) {
      const client = quotesOf(service, await service.given.token());
      const { body } = await client.send();
      await client.accept(body.quoteId, { lines: ['1'] });
      return `/staff/quotes/${body.quoteReference}`;
    },
  },
  {
    name: 'the enquiries of a quote',
    route: '/staff/quotes/:quote/enquiries',
    async path({ service, admin }) {
      const client = quotesOf(service, await service.given.token());
      const { body } = await client.send();
      const { enquiries } = (await client.ask(body.quoteId)).body;
      // One is to be answered, the others are to be claimed.
      const token = await service.given.token({ staff: admin });
      const claim = `/follow-up/orders/${enquiries[0]!.enquiryId}/claim`;
      await postAsStaff(service.http, claim, { version: 0 }, { token });
      return `/staff/quotes/${body.quoteReference}/enquiries`;
    },
  },
  at('/staff/quotes'),
  at('/staff/quotes/new'),
  { name: 'a draft', route: '/staff/quotes/drafts/:draft', path: givenDraft },
  at('/staff/help'),
  at('/staff/help', '?q=offer'),
  { name: 'a topic of the help', route: '/staff/help/:topic', path: () => '/staff/help/lists' },
  {
    name: 'a topic for administrators',
    route: '/staff/help/:topic',
    path: () => '/staff/help/api-clients-and-tokens',
  },
  orderIn('waiting'),
  orderIn('in_progress', true),
  orderIn('scheduled'),
  orderIn('won'),
  orderIn('duplicate'),
  {
    name: 'an enquiry with offers',
    route: orderRoute,
    path: async (world) => `/staff/orders/${(await answeredEnquiry(world, 'admin')).reference}`,
  },
  {
    name: 'the form: an answer to an enquiry',
    route: '/staff/orders/:reference/answer',
    path: async (world) =>
      `/staff/orders/${(await answeredEnquiry(world, 'admin')).reference}/answer`,
  },
  {
    name: 'the form: the withdrawal of an offer',
    route: '/staff/orders/:reference/withdrawal',
    path: async (world) => {
      const { reference, offerId } = await answeredEnquiry(world, 'admin');
      return `/staff/orders/${reference}/withdrawal?offer=${offerId}`;
    },
  },
  {
    name: 'the form: an acceptance of an offer',
    route: '/staff/orders/:reference/acceptance',
    path: async (world) => {
      const { reference, offerId } = await answeredEnquiry(world, 'admin');
      return `/staff/orders/${reference}/acceptance?offer=${offerId}`;
    },
  },
  {
    name: 'approvals',
    route: '/staff/approvals',
    path: async (world) => {
      await answeredEnquiry(world, 'agent');
      return '/staff/approvals';
    },
  },
  {
    name: 'an order with an extra charge',
    route: orderRoute,
    path: async (world) => `/staff/orders/${(await chargedOrder(world)).reference}`,
  },
  {
    name: 'the form: an extra charge',
    route: '/staff/orders/:reference/charge',
    path: async (world) => `/staff/orders/${(await chargedOrder(world)).reference}/charge`,
  },
  {
    name: 'the form: the answer to an extra charge',
    route: '/staff/orders/:reference/charges/:chargeId/answer',
    path: async (world) => {
      const { reference, chargeId } = await chargedOrder(world);
      return `/staff/orders/${reference}/charges/${chargeId}/answer`;
    },
  },
  ...deliveryStops,
  { ...formOf('call', 'in_progress'), route: '/staff/orders/:reference/call' },
  { name: 'an enquiry', route: orderRoute, path: loggedEnquiry },
  {
    name: 'the list of enquiries',
    route: '/staff/queue',
    path: async (world) => {
      await loggedEnquiry(world);
      return '/staff/queue?view=all&kind=enquiry';
    },
  },
  formOf('contact', 'in_progress'),
  formOf('schedule', 'in_progress'),
  formOf('hand-over', 'in_progress'),
  formOf('lose', 'in_progress'),
  formOf('assign', 'waiting', false),
  formOf('reopen', 'won', false),
  {
    name: 'a form that came too late',
    route: '/staff/orders/:reference/:move',
    path: async (world) => `/staff/orders/${(await world.order('lost')).reference}/win`,
    status: 409,
  },
  at('/staff/reports'),
  at('/staff/map'),
  ...['lost', 'watched', 'coverage', 'reach'].map((layer) => at('/staff/map', `?measure=${layer}`)),
  ...['EC', 'BT', 'EC2A'].map((place): Stop => ({
    name: `the map of ${place}`,
    route: '/staff/map/:place',
    path: () => `/staff/map/${place}`,
  })),
  at('/staff/check'),
  at('/staff/check', '?postcode=EC2A+2BS'),
  at('/staff/check', '?postcode=AB10+1AB'),
  at('/staff/check', '?postcode=EC2A+20S', { status: 400 }),
  { name: 'a recorded check', route: '/staff/check/:id', path: (world) => recordedCheck(world) },
  {
    name: 'an order by telephone',
    route: '/staff/check/:id/order',
    path: async (world) => `${await recordedCheck(world)}/order?product=INT-1G-12`,
  },
  {
    name: 'an enquiry by telephone',
    route: '/staff/check/:id/enquiry',
    path: async (world) => `${await recordedCheck(world)}/enquiry`,
  },
  {
    name: 'the watch of a caller who is no client',
    route: '/staff/check/:id/watch',
    path: async (world) => `${await recordedCheck(world, false)}/watch`,
  },
  {
    name: 'an enquiry of a caller who is no client',
    route: '/staff/check/:id/enquiry',
    path: async (world) => `${await recordedCheck(world, false)}/enquiry`,
  },
  at('/staff/clients'),
  at('/staff/clients', '?sort=-used&q=nothing-like-this'),
  at('/staff/clients/new'),
  { name: 'a client', route: '/staff/clients/:id', path: clientPage },
  {
    name: 'the form that edits a client',
    route: '/staff/clients/:id/edit',
    path: async (world) => `${await clientPage(world)}/edit`,
  },
  at('/staff/members'),
  at('/staff/members/new'),
  {
    name: 'a member',
    route: '/staff/members/:id',
    path: (world) => `/staff/members/${world.agent.id}`,
  },
  at('/staff/catalogue'),
  at('/staff/catalogue/new'),
  {
    name: 'a catalogue version',
    route: '/staff/catalogue/versions/:number',
    path: () => '/staff/catalogue/versions/1',
  },
  at('/staff/catalogue/adjust'),
  ofCatalogue('what the live version changed', 'published-changes', () => Promise.resolve(1)),
  ofCatalogue('a draft', '', draftOfCatalogue),
  ofCatalogue('the changes of a draft', 'changes', draftOfCatalogue),
  ofCatalogue('prices', 'prices', liveVersion),
  ofCatalogue('coverage', 'coverage', liveVersion),
  ofCatalogue('the coverage of a postcode', 'coverage', liveVersion, '?place=EC2A+2BS'),
  ofCatalogue('premises', 'premises', liveVersion),
  at('/staff/notifications'),
  at('/staff/audit'),
  at('/staff/audit', '?subject=client&actor=Unknown'),
  { name: 'no such page', route: '', path: () => '/staff/nothing-here', status: 404 },
  { name: 'no such order', route: '', path: () => '/staff/orders/ORD-000000', status: 404 },
];

/** The other tabs of the reports. */
export const reportNames = ['people', 'demand', 'deals', 'promised'] as const;

/** Tables that their reports show by choice. */
const chosenTables = ['demand?by=lost-reasons', 'people?by=by-person', 'deals?by=quotes'];

export const stops: readonly Stop[] = [
  ...tour,
  ...[...reportNames, ...chosenTables].map((name): Stop => ({
    name: `the report ${name}`,
    route: '/staff/reports/:name',
    path: () => `/staff/reports/${name}`,
  })),
];

/** Routes below /staff that are no pages. */
export const noPages: ReadonlySet<string> = new Set([
  '/staff',
  '/staff/assets/:name',
  '/staff/changes',
  '/staff/session',
  '/staff/help/pictures/:file',
  '/staff/audit.csv',
  '/staff/queue.csv',
  '/staff/quotes/:quote.csv',
  '/staff/quotes/drafts/:draft.csv',
  '/staff/quotes/:quote.pdf',
  '/staff/quotes/:quote/map.svg',
  // Parts of pages.
  '/staff/queue/notes/:reference',
  '/staff/search/suggestions',
  ...['changes.csv', 'map.csv', 'files', 'files/:file'].map(
    (part) => `/staff/catalogue/versions/:number/${part}`,
  ),
  '/staff/map.csv',
  '/staff/map/ground.svg',
  '/staff/map/:place.csv',
  '/staff/reports/:name.csv',
  // Redirects to the list.
  '/staff/queue/bulk',
  // They lead to the provider and back; the tests of the sign-in run one.
  '/staff/sign-in/provider',
  '/staff/sign-in/callback',
]);

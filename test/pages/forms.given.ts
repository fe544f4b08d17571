import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import type { OrderState } from '../../src/orders/record/order-states.js';
import { stops } from '../chromium/tour.js';
import type { World } from '../chromium/world.js';

type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** In place of the first choice of a list whose values are ids. */
export const FIRST_CHOICE = '<the first choice>';

/** A form for staff, with what is sent with it. */
export interface StaffForm {
  /** The route of its POST, as in the controllers. */
  readonly route: string;
  /** Tells forms with one route apart. */
  readonly what?: string;
  readonly page: (world: World) => string | Promise<string>;
  /** Which form of the page; the first with the address of the route, if left out. */
  readonly action?: RegExp;
  /** The controls that are looked at; all of them, if left out. */
  readonly controls?: RegExp;
  readonly sent: FormFields;
  /** Each is sent with the other fields of `sent`. */
  readonly bad?: readonly FormFields[];
}

/** The page of the tour with this name. */
const stop = (name: string) => (world: World) =>
  stops.find((one) => one.name === name)!.path(world);

const move = (
  path: string,
  state: OrderState,
  sent: FormFields,
  bad?: readonly FormFields[],
): StaffForm => ({
  route: '/staff/orders/:reference/:move',
  what: path,
  page: async (world) => `/staff/orders/${(await latest(world, state)).reference}/${path}`,
  sent,
  bad,
});

/** The last order in this state, of the administrator where the state has an owner. */
async function latest({ service, admin }: World, state: OrderState): Promise<Order> {
  const order = await service.get(Transactions).read((tx) =>
    tx.findOne(Order, {
      where: { kind: 'order', state, ...(state === 'in_progress' && { ownerId: admin.id }) },
      order: { receivedAt: 'DESC', id: 'DESC' },
    }),
  );
  if (!order) throw new Error(`No order is ${state}.`);
  return order;
}

const client = {
  name: 'Thistledown Telecom',
  contactName: 'Grace Hopper',
  contactEmail: 'grace@example.com',
  contactPhone: '+44 20 7946 0123',
  priceList: 'standard',
  compatibility: '0.3',
};
const offer = {
  'name-1': '2G Internet over microwave',
  'bandwidthProvisioned-1': '2',
  'term-1': '24',
  'price-1': '549.99',
  'leadTimeDays-1': '60',
  'basis-1': 'subjectToSurvey',
  validUntil: '2026-12-23',
};
const PAST = '2026-11-18T10:00';

/** In an order in which no form changes what a later one needs. */
export const staffForms: readonly StaffForm[] = [
  {
    route: '/staff/orders/:reference/charge',
    page: stop('the form: an extra charge'),
    sent: { category: 'survey', amount: '1,250.50', note: 'Dig.', dueAt: '2026-12-01T10:00' },
    bad: [
      { category: 'none', amount: '0', dueAt: PAST },
      { amount: '-5', dueAt: 'soon' },
      { amount: '2.999' },
      { amount: '99999999999' },
      { version: '999' },
      { version: 'x' },
    ],
  },
  {
    route: '/staff/orders/:reference/charges/:chargeId/answer',
    page: stop('the form: the answer to an extra charge'),
    sent: { accept: 'no', by: 'Ada Lovelace' },
    bad: [{ accept: 'maybe' }, { accept: 'yes' }],
  },
  {
    route: '/staff/orders/:reference/amendment',
    page: stop('the form: an amendment'),
    sent: {
      reference: 'PO-9',
      'contact.phone': '0161 496 0000',
      'details.floor': '3',
      'preferredDays.days': 'Mon, thursday',
    },
    bad: [
      { 'contact.email': 'no address', 'preferredDays.days': 'whenever' },
      { 'details.siteContact.phone': '0161 496 0000' },
      {
        'details.address': '1\n2\n3\n4\n5',
        'preferredDays.note': 'After 10:00.',
        'preferredDays.days': '',
      },
      { 'details.interconnect': 'NOWHERE' },
      { version: '999' },
    ],
  },
  {
    route: '/staff/orders/:reference/delivery',
    page: stop('the form: a delivery'),
    sent: { party: 'client', what: 'Name a site contact.', committedDate: '2026-12-04' },
    bad: [
      { what: '' },
      { party: 'me' },
      { committedDate: 'soon' },
      { 'surveyed-doneOn': '2099-01-01' },
      { version: '999' },
      { version: 'x' },
    ],
  },
  {
    route: '/staff/orders/:reference/cancellation-answer',
    page: stop('the form: the answer to a request to cancel'),
    sent: { accept: 'no', note: 'It is built.' },
    bad: [{ accept: '' }, { accept: 'yes', amount: '-1' }, { version: '999' }],
  },
  {
    route: '/staff/catalogue/adjust',
    page: () => '/staff/catalogue/adjust',
    sent: { percent: '3', product: 'int-', roundTo: '0.50' },
    bad: [
      { percent: 'many', product: '-x', roundTo: 'much', floor: 'low' },
      { percent: '1001', roundTo: '0', floor: '-1' },
      { percent: '1.2345', roundTo: '0.00001', floor: '1000001' },
      { priceList: 'Unknown!', zone: 'unknown!' },
      { priceList: 'unknown' },
      { zone: 'UNKNOWN' },
      { percent: '0' },
    ],
  },
  {
    route: '/staff/check/:id/order',
    page: stop('an order by telephone'),
    action: /\/order/,
    sent: { name: 'Ada', phone: '020 7946 0123', email: 'ada@example.com', reference: 'PO 7' },
    bad: [
      { email: 'ada', acceptExtraUpTo: 'much' },
      { acceptExtraUpTo: '-1' },
      { acceptExtraUpTo: '1.999' },
      { productCode: 'NONE' },
    ],
  },
  {
    route: '/staff/check/:id/enquiry',
    page: stop('an enquiry by telephone'),
    action: /\/enquiry/,
    sent: { description: 'Dark fibre.', bandwidth: '10', term: '36' },
    bad: [
      { email: 'ada', bandwidth: 'much', term: 'long' },
      { bandwidth: '0', term: '121' },
      { description: '', bandwidth: '' },
    ],
  },
  {
    route: '/staff/check/:id/enquiry',
    what: 'of a caller who is no client',
    page: stop('an enquiry of a caller who is no client'),
    action: /\/enquiry/,
    sent: { description: 'Dark fibre.', name: 'Ada', phone: '020 7946 0123' },
    bad: [{ phone: '' }, { description: '', name: '' }],
  },
  {
    route: '/staff/check/:id/watch',
    page: stop('the watch of a caller who is no client'),
    action: /\/watch/,
    sent: { email: 'ada@example.com' },
    bad: [{ email: '' }, { email: 'ada' }],
  },
  {
    route: '/staff/orders/:reference/withdrawal',
    page: stop('the form: the withdrawal of an offer'),
    sent: { note: 'The supplier has raised the price.' },
  },
  {
    route: '/staff/orders/:reference/acceptance',
    page: stop('the form: an acceptance of an offer'),
    sent: { by: 'Ada Lovelace' },
  },
  {
    route: '/staff/orders/:reference/answer',
    page: stop('the form: an answer to an enquiry'),
    controls: /-1$|^validUntil$/,
    sent: offer,
    bad: [
      {
        'bandwidthProvisioned-1': 'much',
        'bandwidthCapacity-1': '0',
        'term-1': '121',
        'price-1': '-1',
        'setupPrice-1': 'free',
        'leadTimeDays-1': 'soon',
        'basis-1': 'none',
        validUntil: 'soon',
      },
      { 'name-1': '', 'name-2': 'Another' },
      { validUntil: '2026-11-01', 'price-1': '549.999' },
    ],
  },
  {
    route: '/staff/approvals',
    page: stop('approvals'),
    action: /approvals/,
    sent: { decision: 'refuse', reason: 'Below cost.' },
    bad: [
      { decision: 'refuse', reason: 'x'.repeat(501) },
      { decision: 'refuse', reason: '' },
    ],
  },
  {
    route: '/staff/quotes',
    page: () => '/staff/quotes/new',
    sent: {
      client: FIRST_CHOICE,
      sites: 'Site\tPostcode\nDepot\tEC2A 2BS\n',
    },
    bad: [
      { client: '', sites: '' },
      { client: 'none', customer: 'x'.repeat(121) },
      { sites: 'Site,Speed\nDepot,"1G\n' },
    ],
  },
  {
    route: '/staff/clients',
    page: () => '/staff/clients/new',
    sent: client,
    bad: [
      { contactEmail: 'grace', contactPhone: 'none', priceList: 'not a list', compatibility: '9' },
      { priceList: 'unknown', name: 'Larkspur Telecom' },
      { name: 'Quillfeather Networks' },
    ],
  },
  {
    route: '/staff/clients/:id/edit',
    page: stop('the form that edits a client'),
    sent: { ...client, name: 'Quillfeather Networks', lookupsPerMinute: '1200' },
    bad: [
      { contactEmail: 'grace', contactPhone: 'none', priceList: 'not a list' },
      {
        lookupsPerMinute: '0',
        lookupsPerSecond: '-1',
        ordersPerMinute: 'many',
        inFlight: '100001',
      },
      { name: 'Thistledown Telecom' },
      { version: '0' },
      { version: 'x' },
    ],
  },
  {
    route: '/staff/clients/:id/tokens',
    page: stop('a client'),
    action: /\/tokens$/,
    sent: { label: 'production', scopes: ['availability:read'], days: '30', test: 'yes' },
    bad: [{ days: '0', scopes: 'all' }, { days: '3651' }, { days: 'many' }],
  },
  {
    route: '/staff/clients/:id/tokens/:tokenId/revoke',
    page: stop('a client'),
    action: /\/revoke$/,
    sent: { reason: 'Leaked.' },
  },
  {
    route: '/staff/members',
    page: () => '/staff/members/new',
    sent: { name: 'Grace', email: 'grace@example.com', role: 'agent' },
    bad: [{ email: 'grace', role: 'owner' }, { email: 'sam@demo.example' }],
  },
  {
    route: '/staff/members/:id/role',
    page: stop('a member'),
    action: /\/role$/,
    sent: { role: 'manager' },
    bad: [{ role: 'owner' }],
  },
  {
    route: '/staff/orders/:reference/call',
    page: stop('the form: call'),
    action: /\/call$/,
    sent: { outcome: 'reached', next: 'lose', reason: 'none', note: 'Back at two.' },
    bad: [
      { outcome: 'none', next: 'none' },
      { next: 'pick', at: 'soon' },
      { note: 'x'.repeat(2_001) },
    ],
  },
  move('note', 'in_progress', { note: 'Reception knows.' }),
  move('reply', 'in_progress', { text: 'Who can let our engineer in?' }, [
    { text: ' ' },
    { text: 'x'.repeat(2_001) },
  ]),
  move('contact', 'in_progress', { channel: 'phone', result: 'reached' }, [
    { channel: 'none', result: 'none' },
    { note: 'x'.repeat(2_001) },
  ]),
  move('schedule', 'in_progress', { nextActionAt: 'own', 'nextActionAt-own-text': PAST }, [
    { 'nextActionAt-own-text': 'soon', reason: 'callback_agreed' },
    { reason: 'none' },
  ]),
  move('hand-over', 'in_progress', { ownerId: 'none', note: 'Speaks French.' }),
  move('lose', 'in_progress', { reason: 'price' }, [{ reason: 'none' }, { reason: 'other' }]),
  move(
    'win',
    'in_progress',
    { price: '344.00', setupPrice: '950', externalReference: 'SF-88231' },
    [{ externalReference: 'x'.repeat(65) }],
  ),
  move('release', 'in_progress', { reason: 'On holiday.' }),
  move('cancel', 'in_progress', { reason: 'client_request' }, [{ reason: 'other' }]),
  move('assign', 'waiting', { ownerId: 'none' }),
  move('duplicate', 'waiting', { of: 'ORD-000000' }, [{ of: 'none' }]),
  move('reopen', 'won', { reason: 'They called.' }),
  {
    route: '/staff/queue/bulk',
    page: () => '/staff/queue?view=open',
    action: /\/bulk/,
    sent: { move: 'assign', order: 'none', ownerId: 'none' },
    bad: [{ move: 'cancel', reason: 'none' }],
  },
  {
    route: '/staff/catalogue/versions/:number/activate',
    page: stop('the catalogue: a draft'),
    action: /\/activate$/,
    sent: { accept: 'Approved by Ada.' },
    bad: [{ live: '99' }],
  },
];

/** Forms without a field that could be wrong, or of another kind: their own tests send them. */
export const otherForms: ReadonlySet<string> = new Set([
  // Buttons.
  '/staff/take-next',
  '/staff/keys',
  '/staff/rows',
  '/staff/orders/:reference/undo',
  '/staff/orders/:reference/charges/:chargeId/withdraw',
  '/staff/orders/:reference/delivery/done',
  // Its own test sends files.
  '/staff/delivery-updates',
  '/staff/notifications',
  '/staff/clients/:id/enabled',
  '/staff/clients/:id/tokens/pair',
  '/staff/members/:id/link',
  '/staff/members/:id/forget-second-factor',
  '/staff/members/:id/end-sessions',
  '/staff/members/:id/enabled',
  '/staff/catalogue/versions/:number/restore',
  '/staff/catalogue/versions/:number/discard',
  '/staff/catalogue/versions/:number/again',
  '/staff/check',
  // test/pages/quote-pages.e2e-spec.ts and test/pages/admin/clients.e2e-spec.ts send them.
  '/staff/quotes/:quote/claim',
  '/staff/quotes/:quote/contact',
  '/staff/quotes/:quote/answer',
  '/staff/quotes/:quote/undo',
  // test/quotes/quote-withdrawal.e2e-spec.ts sends them.
  '/staff/quotes/:quote/withdrawal',
  '/staff/quotes/:quote/reversal',
  // test/quotes/quote-drafts.e2e-spec.ts sends them.
  '/staff/quotes/:quote/orders',
  '/staff/quotes/drafts/:draft/columns',
  '/staff/quotes/drafts/:draft/answers',
  '/staff/quotes/drafts/:draft/general',
  '/staff/quotes/drafts/:draft/list',
  '/staff/quotes/drafts/:draft/corrections',
  '/staff/quotes/drafts/:draft/lines/:line',
  '/staff/quotes/drafts/:draft/send',
  '/staff/quotes/drafts/:draft/removal',
  '/staff/clients/:id/interconnects',
  '/staff/clients/:id/interconnects/remove',
  // As the one of clients.
  '/staff/clients/:id/webhook',
  '/staff/members/:id/tokens/:tokenId/revoke',
  // Files.
  '/staff/catalogue/versions',
  // The sign-in and the account.
  '/staff/sign-in',
  '/staff/sign-in/code',
  '/staff/sign-in/enrolment',
  '/staff/sign-out',
  '/staff/session',
  '/staff/set-password/:secret',
  '/staff/account/password',
  '/staff/account/sessions/end-others',
  '/staff/account/sessions/:id/end',
  '/staff/account/second-factor',
  '/staff/account/second-factor/change',
]);

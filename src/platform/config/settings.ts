import { isIP } from 'node:net';
import { isDay } from '../kernel/time.js';
import { isMailAddress, type Mailbox, readMailbox } from '../kernel/mail-address.js';
import { parseWeek } from '../kernel/working-hours.js';
import { nearNetSettings } from '../kernel/client-options.js';
import { isNetwork, readSmtpUrl } from './addresses.js';
import { brandColour, brandLogo } from './brand.js';
import {
  anyText,
  base64Key,
  isFirstOf,
  kind,
  listOf,
  mapped,
  oneOf,
  onOrOff,
  orOff,
  setting,
  type SettingKind,
  webUrl,
  wholeNumber,
} from './setting.js';
import { staffSettings } from './settings-staff.js';

const amountOfMoney = kind('an amount with its currency, such as `25000 GBP`', (text) => {
  const [, amount, currency] = /^(\d{1,9}(?:\.\d{1,2})?) ([A-Z]{3})$/.exec(text) ?? [];
  return currency === undefined ? undefined : { amount: Number(amount), currency };
});

/** What one person may do alone towards a client. */
const approvalSettings = {
  offerApprovalOver: setting('OFFER_APPROVAL_OVER', amountOfMoney, {
    unset: null,
    meaning:
      'The most that one person may offer to a client in answer to an enquiry: the monthly prices of the whole term and the set-up price together. A manager other than its author approves an offer above it, or in another currency. Empty: no offer needs approval.',
  }),
  offerApprovalBelowPercent: setting('OFFER_APPROVAL_BELOW_PERCENT', wholeNumber(1, 100, '%'), {
    default: '50',
    meaning:
      'How far below the list price one person may offer. The monthly prices of the whole term and the set-up price together are compared with those of the same bandwidth in the live catalogue, at the place or else in any zone. A manager other than its author approves an offer that is further below, one without a monthly price, and one in a currency that the catalogue does not have. 100: only the last two.',
  }),
  acceptanceAloneUpTo: setting('ACCEPTANCE_ALONE_UP_TO', amountOfMoney, {
    unset: null,
    meaning:
      'Up to which amount the author of an offer, or the proposer of a charge, may also record that the client accepts it. Of an offer, the monthly prices of the whole term and the set-up price count together. Above it, and in another currency, a colleague records it, or the client accepts by the API. Empty: always a colleague.',
  }),
};

const quoteSettings = {
  quoteDays: setting('QUOTE_DAYS', wholeNumber(1, 90, 'days'), {
    default: '30',
    meaning: 'How long the lines of a quote can be ordered.',
  }),
  quoteHold: setting('QUOTE_HOLD', oneOf('all', 'firm', 'none'), {
    default: 'all',
    meaning:
      'Which lines of a quote can be ordered at its terms after later publications too: `all`, only those with a `firm` price, or `none`. An order of another line is refused if its terms have changed.',
  }),
  volumeCounts: setting('VOLUME_COUNTS', oneOf('quote', 'order'), {
    default: 'quote',
    meaning:
      'Which places a discount of `volume.csv` counts: those of the whole `quote`, so that a line keeps it however few are ordered, or only those of one `order`: a line is then ordered together with as many places as its discount needs.',
  }),
};

const mailboxes: SettingKind<readonly Mailbox[]> = mapped(
  listOf('email addresses', isMailAddress),
  (addresses) => addresses.map((address): Mailbox => ({ name: '', address })),
);

/** The driver knows neither several hosts nor `target_session_attrs`, and would ignore the latter. */
const postgresUrl = kind(
  'a URL such as `postgres://user:password@host:5432/name`, with one host and without `target_session_attrs` (for several servers see docs/operate/high-availability.md)',
  (text) => {
    if (!URL.canParse(text)) return undefined;
    const { protocol, hostname, searchParams } = new URL(text);
    const isPostgres = protocol === 'postgres:' || protocol === 'postgresql:';
    const isForOne = !hostname.includes(',') && !searchParams.has('target_session_attrs');
    return isPostgres && isForOne ? text : undefined;
  },
);

/** Every environment variable, in the order of docs/operate/configuration.md. `Config`, its reader, that document and `--help` are derived from this. */
export const settings = {
  production: setting('NODE_ENV', isFirstOf('production', 'development', 'test'), {
    default: 'development',
    meaning: 'In `production` the service refuses demo defaults. `npm start` sets it.',
  }),
  host: setting('HOST', anyText('an address'), {
    default: '0.0.0.0',
    meaning: 'The address to listen on.',
  }),
  port: setting('PORT', wholeNumber(0, 65_535), {
    default: '3000',
    meaning: 'The port to listen on; 0 takes a free one.',
  }),
  publicUrl: setting('PUBLIC_URL', webUrl(), {
    default: 'http://localhost:3000',
    meaning: 'The base address as clients see it. Problem types and links start with it.',
    demoOnly: true,
  }),
  allowInsecure: setting(
    'ALLOW_INSECURE',
    listOf('names, `http` or `no-rate-limits`', (name) =>
      ['http', 'no-rate-limits'].includes(name),
    ),
    {
      unset: [],
      meaning:
        '`http`: production takes a `PUBLIC_URL` without TLS on another host than this machine. `no-rate-limits`: there are no rate limits and no limit of open requests, for load tests only.',
    },
  ),
  databaseUrl: setting('DATABASE_URL', postgresUrl, {
    unset: null,
    meaning: 'The PostgreSQL database. Empty: the embedded SQLite database.',
    secret: true,
  }),
  databasePoolSize: setting('DATABASE_POOL_SIZE', wholeNumber(2, 200), {
    default: '10',
    meaning: 'PostgreSQL connections of this instance.',
  }),
  sqliteFile: setting('SQLITE_FILE', anyText('a path'), {
    default: 'data/availability.sqlite',
    meaning: 'The embedded database; used where `DATABASE_URL` is empty.',
  }),
  salesContact: setting('SALES_CONTACT', anyText('a text such as an email address'), {
    default: 'sales@example.net',
    meaning: 'The contact that the messages of checks and orders name.',
    demoOnly: true,
  }),
  brandName: setting(
    'BRAND_NAME',
    kind('a text of at most 40 characters', (text) => (text.length <= 40 ? text : undefined)),
    {
      default: 'Product Availability',
      meaning:
        'The name of the operator or of the service: in the top bar and the titles of pages, in authenticator apps, and on the documentation.',
    },
  ),
  brandLogo: setting('BRAND_LOGO', brandLogo, {
    unset: null,
    meaning: 'A picture before the name, 24 pixels high. Empty: the mark of the service.',
  }),
  brandColour: setting('BRAND_COLOUR', brandColour, {
    unset: null,
    meaning:
      'The colour of links, primary buttons and the current place. Its contrast is checked at the start; a single colour is made lighter for dark pages. Empty: blue.',
  }),
  priceHoldMinutes: setting('PRICE_HOLD_MINUTES', wholeNumber(0, 10_080, 'minutes'), {
    default: '15',
    meaning: 'How long an order that cites a check keeps its price and lead time.',
  }),
  ...quoteSettings,
  nearNet: setting('NEAR_NET', oneOf(...nearNetSettings), {
    default: 'staff',
    meaning:
      'Who sees prices by distance, where a catalogue has build bands: only `staff`, `all` (also API clients), or no one (`off`). An API client can have its own setting.',
  }),
  publishTrack: setting('PUBLISH_TRACK', oneOf('off', 'staff', 'all'), {
    default: 'staff',
    meaning:
      'Who sees what happened against what was promised (`track`), of products with at least 20 orders in a year: only `staff`, `all` (also API clients), or no one (`off`).',
  }),
  pointOffset: setting('POINT_OFFSET', wholeNumber(0, 1_000, 'metres'), {
    default: '150',
    meaning:
      'How far a point of `network_points.csv` is moved for prices by distance, for every caller, so that API clients cannot compute where it is: by this many metres up to 1.5 times as many, always the same for a point. `0`: not moved, where no API client sees prices by distance, or the points are no secret.',
  }),
  workingHours: setting(
    'WORKING_HOURS',
    kind('hours such as `Mon-Thu 09:00-12:30,13:30-17:30; Fri 09:00-16:00`', parseWeek),
    {
      default: 'Mon-Fri 09:00-17:00',
      meaning:
        'When staff work, in London time. Deadlines count only these hours, without the bank holidays of England and Wales.',
    },
  ),
  closedDays: setting('CLOSED_DAYS', listOf('days such as `2026-12-24`', isDay), {
    unset: [],
    meaning: 'Days on which staff do not work, beside the bank holidays of England and Wales.',
  }),
  firstContactHours: setting('FIRST_CONTACT_HOURS', wholeNumber(1, 200, 'working hours'), {
    default: '4',
    meaning: 'The deadline for the first contact with the client of a new order.',
  }),
  staleClaimHours: setting('STALE_CLAIM_HOURS', wholeNumber(0, 1_000, 'working hours'), {
    default: '8',
    meaning: 'Time without an entry after which a claimed order returns to the queue. 0: never.',
  }),
  /** Null: clients are not reminded. */
  remindClientAfter: setting(
    'REMIND_CLIENT_AFTER',
    orOff(wholeNumber(1, 250, 'working days'), null),
    {
      default: '5',
      meaning:
        'After how many working days an API client is reminded of an accepted order that waits for it, and again after as many days each: by an email with all of its orders that wait, at most one in a working day, and by the webhook event `order.waiting`. `off`: never.',
    },
  ),
  /** Null: no offer needs approval. */
  ...approvalSettings,
  checkRetentionDays: setting('CHECK_RETENTION_DAYS', wholeNumber(1, 36_500, 'days'), {
    default: '60',
    meaning: 'How long a check can be read again and ordered from.',
  }),
  lookupsPerMinute: setting('LOOKUPS_PER_MINUTE', wholeNumber(1, 10_000_000), {
    default: '600',
    meaning: 'Checks per minute of each API client. `clients limits` overrides it.',
  }),
  ordersPerMinute: setting('ORDERS_PER_MINUTE', wholeNumber(1, 10_000_000), {
    default: '60',
    meaning:
      'Orders per minute of each API client. `clients limits` overrides it. On PostgreSQL all instances share one count.',
  }),
  openRequests: setting('OPEN_REQUESTS', wholeNumber(1, 10_000_000), {
    default: '5000',
    meaning:
      'Open orders and enquiries of each API client together; its test requests count separately. Each instance counts them once a minute.',
  }),
  inFlight: setting('IN_FLIGHT', wholeNumber(1, 100_000), {
    default: '20',
    meaning:
      'Concurrent requests of each API client on one instance. `clients limits` overrides it.',
  }),
  instances: setting('INSTANCES', wholeNumber(1, 1_000), {
    default: '1',
    meaning: 'The number of instances. Each allows its share of the checks.',
  }),
  mcp: setting('MCP', onOrOff, {
    default: 'off',
    meaning:
      'Whether agents reach the service by the Model Context Protocol, at `/mcp`, with the tokens, scopes and limits of API clients.',
  }),
  trustProxy: setting(
    'TRUST_PROXY',
    listOf(
      'addresses, networks such as `10.0.0.0/8`, `loopback`, `linklocal` or `uniquelocal`',
      (proxy) =>
        ['loopback', 'linklocal', 'uniquelocal'].includes(proxy) ||
        isIP(proxy) !== 0 ||
        isNetwork(proxy),
    ),
    {
      unset: [],
      meaning:
        'The proxies whose `X-Forwarded-For` is trusted, with or without ports in it. A request for which a proxy sends no address counts for the proxy. Empty: none.',
    },
  ),
  logLevel: setting('LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    meaning: 'What is logged. Each request is one line of `info`.',
  }),
  opsHost: setting('OPS_HOST', anyText('an address'), {
    default: '127.0.0.1',
    meaning: 'The address on which metrics are served.',
  }),
  /** Null: no metrics are served. */
  opsPort: setting('OPS_PORT', orOff(wholeNumber(0, 65_535), null), {
    default: '9464',
    meaning: 'The port on which metrics are served, at `/metrics`; 0 takes a free one.',
  }),
  drainSeconds: setting('DRAIN_SECONDS', wholeNumber(0, 300, 'seconds'), {
    default: '0',
    defaultInProduction: '5',
    meaning:
      'The time from SIGTERM, when `/health/ready` starts to answer 503, until the service refuses new connections. A load balancer must notice within this time.',
  }),
  /** Null: no email is sent. */
  smtp: setting(
    'SMTP_URL',
    kind(
      'a URL such as `smtp://user:password@host:587` or `smtps://…`, with at most `requireTLS` and a readable `ca` in its query',
      readSmtpUrl,
    ),
    {
      unset: null,
      meaning:
        'The server that sends email. STARTTLS is required unless the server is on this machine or the URL ends with `?requireTLS=false`; `?ca=<file>` adds a private authority. Empty: no email is sent.',
      secret: true,
    },
  ),
  /** Set wherever `smtp` is. */
  mailFrom: setting(
    'MAIL_FROM',
    kind('an address such as `orders@example.net` or `Orders <orders@example.net>`', readMailbox),
    { unset: null, meaning: 'The sender of every email. Must be set where `SMTP_URL` is.' },
  ),
  salesInbox: setting('SALES_INBOX', mailboxes, {
    unset: [],
    meaning: 'Recipients of new orders and of reminders of late and due orders. Empty: none.',
  }),
  acknowledgeOrders: setting('ACKNOWLEDGE_ORDERS', onOrOff, {
    default: 'off',
    meaning: 'Whether the contact of an order receives an email that acknowledges it.',
  }),
  /** Null: no webhooks. */
  webhookKey: setting('WEBHOOK_KEY', base64Key, {
    unset: null,
    meaning: 'Encrypts the signing secrets of webhooks in the database. Empty: no webhooks.',
    secret: true,
  }),
  webhookKeySecond: setting('WEBHOOK_KEY_SECOND', base64Key, {
    unset: null,
    meaning:
      'Only while `WEBHOOK_KEY` is changed: a second key that decrypts, the old or the new one. Empty: none.',
    secret: true,
  }),
  webhookNetworks: setting('WEBHOOK_NETWORKS', listOf('networks such as `10.0.0.0/8`', isNetwork), {
    unset: [],
    meaning:
      "Networks, in addition to the public internet, to which the operator's own webhooks may go. Outside production the webhooks of API clients may go there too, and `http:` is allowed.",
  }),
  lintOff: setting(
    'LINT_OFF',
    listOf('names of lint rules', (rule) => /^[a-z]+(?:-[a-z]+)*$/.test(rule)),
    {
      unset: [],
      meaning:
        'Catalogue warnings to switch off, by their names in the report of an import, such as `inside-excluded`.',
    },
  ),
  ...staffSettings,
};

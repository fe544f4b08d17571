import { isIP } from 'node:net';
import { isMailAddress, type Mailbox, readMailbox } from '../kernel/mail-address.js';
import { readOtlpHeaders } from '../tracing/otlp.js';
import { parseWeek } from '../kernel/working-hours.js';
import { isNetwork } from './addresses.js';
import { isTimeOfDay } from './reminder-times.js';
import { readSmtpUrl } from './smtp-options.js';
import {
  anyText,
  base64Key,
  isFirstOf,
  kind,
  listOf,
  mapped,
  oneOf,
  onOrOff,
  optional,
  orOff,
  setting,
  type SettingKind,
  url,
  webUrl,
  wholeNumber,
} from './setting.js';
import { staffSettings } from './settings-staff.js';

const mailboxes: SettingKind<readonly Mailbox[]> = mapped(
  listOf('email addresses', isMailAddress),
  (addresses) => addresses.map((address): Mailbox => ({ name: '', address })),
);

/**
 * Every variable of the environment, in the order of docs/operate/configuration.md. This declares a
 * setting whole: `Config`, its reader, the document and `--help` follow.
 */
export const settings = {
  production: setting('NODE_ENV', isFirstOf('production', 'development', 'test'), {
    default: 'development',
    meaning:
      'In production the service refuses defaults that are only for trying out. `npm start` sets it.',
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
    meaning: 'The base address as clients see it; problem types and links start with it.',
    demoOnly: true,
  }),
  databaseUrl: optional(
    'DATABASE_URL',
    url('a URL such as `postgres://user:password@host:5432/name`', 'postgres:', 'postgresql:'),
    {
      unset: null,
      meaning: 'The PostgreSQL database. Empty: the embedded SQLite database.',
      secret: true,
    },
  ),
  databasePoolSize: setting('DATABASE_POOL_SIZE', wholeNumber(2, 200), {
    default: '10',
    meaning: 'PostgreSQL connections of this instance.',
  }),
  sqliteFile: setting('SQLITE_FILE', anyText('a path'), {
    default: 'data/availability.sqlite',
    meaning: 'The embedded database; used where `DATABASE_URL` is empty.',
  }),
  salesContact: setting(
    'SALES_CONTACT',
    anyText('a text such as an email address or a phone number'),
    {
      default: 'sales@example.net',
      meaning: 'The contact that the messages of checks and orders name.',
      demoOnly: true,
    },
  ),
  priceHoldMinutes: setting('PRICE_HOLD_MINUTES', wholeNumber(0, 10_080, 'minutes'), {
    default: '15',
    meaning: 'How long an order that cites a check keeps its price and lead time.',
  }),
  workingHours: setting(
    'WORKING_HOURS',
    kind(
      'days with intervals, such as `Mon-Thu 09:00-12:30,13:30-17:30; Fri 09:00-16:00`',
      parseWeek,
    ),
    {
      default: 'Mon-Fri 09:00-17:00',
      meaning:
        'When the staff work, in London time. Deadlines count only this time; bank holidays of England and Wales do not count.',
    },
  ),
  firstContactHours: setting('FIRST_CONTACT_HOURS', wholeNumber(1, 200, 'working hours'), {
    default: '4',
    meaning: 'The deadline for the first contact with the client of a new order.',
  }),
  firstContactWarnPercent: setting('FIRST_CONTACT_WARN_PERCENT', wholeNumber(1, 100), {
    default: '75',
    meaning: 'The percentage of that time after which an order counts as nearly late.',
  }),
  staleClaimHours: setting('STALE_CLAIM_HOURS', wholeNumber(0, 1_000, 'working hours'), {
    default: '8',
    meaning:
      'How long a claimed order may have no entry before it returns to the queue. 0: for ever.',
  }),
  checkRetentionDays: setting('CHECK_RETENTION_DAYS', wholeNumber(1, 36_500, 'days'), {
    default: '60',
    meaning:
      'How long the record of a check is kept. Until then it can be read again, ordered from and replayed.',
  }),
  checkDayRetentionDays: setting('CHECK_DAY_RETENTION_DAYS', wholeNumber(400, 36_500, 'days'), {
    default: '400',
    meaning:
      'How long reports know how many checks were made on a day. A report covers up to 400 days.',
  }),
  idempotencyRetentionDays: setting('IDEMPOTENCY_RETENTION_DAYS', wholeNumber(30, 36_500, 'days'), {
    default: '30',
    meaning: 'How long an `Idempotency-Key` is remembered; clients are promised 30 days.',
  }),
  rateLimits: setting('RATE_LIMITS', onOrOff, {
    default: 'on',
    meaning: '`off` lifts all rate limits: for load tests only.',
  }),
  lookupsPerMinute: setting('LOOKUPS_PER_MINUTE', wholeNumber(1, 10_000_000), {
    default: '600',
    meaning: 'Checks per minute of each API client, unless `clients limits` sets another limit.',
  }),
  lookupBurst: setting('LOOKUP_BURST', wholeNumber(1, 10_000_000), {
    default: '100',
    meaning: 'Checks of one API client in one second.',
  }),
  ordersPerMinute: setting('ORDERS_PER_MINUTE', wholeNumber(1, 10_000_000), {
    default: '60',
    meaning:
      'Orders per minute of each API client, unless `clients limits` sets another limit. On PostgreSQL all instances count together.',
  }),
  inFlight: setting('IN_FLIGHT', wholeNumber(1, 100_000), {
    default: '20',
    meaning:
      'Requests of one API client that an instance answers at the same time, unless `clients limits` sets another limit.',
  }),
  failuresPerMinute: setting('FAILURES_PER_MINUTE', wholeNumber(1, 10_000_000), {
    default: '20',
    meaning: 'Failed tokens and sign-ins per minute from one address; for IPv6 from its /64.',
  }),
  instances: setting('INSTANCES', wholeNumber(1, 1_000), {
    default: '1',
    meaning: 'How many instances share the load: each allows its share of the checks.',
  }),
  trustProxy: optional(
    'TRUST_PROXY',
    listOf(
      'addresses, networks such as `10.0.0.0/8`, `loopback`, `linklocal` or `uniquelocal`',
      (proxy) =>
        ['loopback', 'linklocal', 'uniquelocal'].includes(proxy) ||
        isIP(proxy) !== 0 ||
        isNetwork(proxy),
    ),
    { unset: [], meaning: 'The proxies whose `X-Forwarded-For` is believed. Empty: none.' },
  ),
  logLevel: setting('LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    meaning: 'What is logged; each request is one line of `info`.',
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
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', webUrl('http://127.0.0.1:4318'), {
    unset: null,
    meaning:
      'The OpenTelemetry collector that receives a span for each request and each delivery, by OTLP over HTTP in JSON, at `/v1/traces`. Empty: none.',
  }),
  otlpHeaders: optional(
    'OTEL_EXPORTER_OTLP_HEADERS',
    kind('headers such as `api-key=secret`, separated by commas', readOtlpHeaders),
    { unset: {}, meaning: 'Headers that the collector needs.', secret: true },
  ),
  otelServiceName: setting('OTEL_SERVICE_NAME', anyText(), {
    default: 'product-availability',
    meaning: 'The name of the service in traces.',
  }),
  traceRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    kind('a number from 0 to 1', (text) =>
      /^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined,
    ),
    {
      default: '1',
      meaning: 'The share of traces that is kept. A `traceparent` of the caller decides first.',
    },
  ),
  drainSeconds: setting('DRAIN_SECONDS', wholeNumber(0, 300, 'seconds'), {
    default: '0',
    defaultInProduction: '5',
    meaning:
      'The time from SIGTERM, when `/health/ready` starts to answer 503, until the service refuses new connections: a load balancer has to notice within it.',
  }),
  /** Null: no email is sent. */
  smtp: optional(
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
  mailFrom: optional(
    'MAIL_FROM',
    kind('an address such as `orders@example.net` or `Orders <orders@example.net>`', readMailbox),
    { unset: null, meaning: 'The sender of every email. Must be set where `SMTP_URL` is.' },
  ),
  salesInbox: optional('SALES_INBOX', mailboxes, {
    unset: [],
    meaning:
      'The recipients of new orders, and of reminders of late and due ones. Empty: no recipients.',
  }),
  acknowledgeOrders: setting('ACKNOWLEDGE_ORDERS', onOrOff, {
    default: 'off',
    meaning: 'Whether the contact of an order receives an email that acknowledges it.',
  }),
  /** Times of day in London, `08:30`. */
  reminderTimes: setting('REMINDER_TIMES', orOff(listOf('times of day', isTimeOfDay), []), {
    default: '08:30,13:30',
    meaning:
      'When, Monday to Friday in London, the sales inbox receives a reminder of late and due orders.',
  }),
  /** Null: no webhooks. */
  webhookKey: optional('WEBHOOK_KEY', base64Key, {
    unset: null,
    meaning: 'Encrypts the signing secrets of webhooks in the database. Empty: no webhooks.',
    secret: true,
  }),
  webhookNetworks: optional(
    'WEBHOOK_NETWORKS',
    listOf('networks such as `10.0.0.0/8`', isNetwork),
    {
      unset: [],
      meaning:
        "Networks, in addition to the public internet, to which the operator's own webhooks may go. Outside production the webhooks of API clients may go there too, and `http:` is allowed.",
    },
  ),
  railCoverageLostPercent: setting('RAIL_COVERAGE_LOST_PERCENT', wholeNumber(0, 100), {
    default: '10',
    meaning:
      'A catalogue that loses a larger percentage of the coverage needs an explicit acceptance.',
  }),
  railPriceMovedPercent: setting('RAIL_PRICE_MOVED_PERCENT', wholeNumber(0, 1_000_000), {
    default: '30',
    meaning:
      'A catalogue that changes a price by a larger percentage needs an explicit acceptance.',
  }),
  railProductLost: setting('RAIL_PRODUCT_LOST', onOrOff, {
    default: 'on',
    meaning: 'A catalogue that no longer sells a product anywhere needs an explicit acceptance.',
  }),
  railZoneWithoutPrices: setting('RAIL_ZONE_WITHOUT_PRICES', onOrOff, {
    default: 'on',
    meaning: 'A catalogue with coverage in a zone without a price needs an explicit acceptance.',
  }),
  lintOff: optional(
    'LINT_OFF',
    listOf('names of lint rules', (rule) => /^[a-z]+(?:-[a-z]+)*$/.test(rule)),
    {
      unset: [],
      meaning: 'Warnings about a catalogue that are off; `catalogue lint --rules` lists them.',
    },
  ),
  catalogueVersionsKept: setting('CATALOGUE_VERSIONS_KEPT', wholeNumber(1, 10_000), {
    default: '20',
    meaning: 'How many of the newest catalogue versions `catalogue prune` keeps.',
  }),
  catalogueUploadMegabytes: setting('CATALOGUE_UPLOAD_MB', wholeNumber(1, 512, 'megabytes'), {
    default: '128',
    meaning: 'The size of the three files of `POST /catalogue/versions` together.',
  }),
  ...staffSettings,
};

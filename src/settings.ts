import { isMailAddress, type Mailbox, readMailbox } from './common/mail-address.js';
import { parseWeek } from './common/working-hours.js';
import { isNetwork } from './notifications/addresses.js';
import { isTimeOfDay } from './notifications/reminder-times.js';
import { readSmtpUrl } from './notifications/smtp-options.js';

/** One variable of the environment: how it is read, what it is for. */
export interface Variable {
  readonly name: string;
  /** As in the README's table; an empty text means that there is none. */
  readonly default: string;
  /** What the value must be, as in "must be …". */
  readonly allowed: string;
  readonly meaning: string;
  /** Can also be given as a file's path in `<name>_FILE`. */
  readonly secret?: true;
  /** The default is only for trying out: in production the variable must be set. */
  readonly demoOnly?: true;
}

/** A variable, and how its text becomes a value. */
export interface Setting<T> extends Variable {
  /** The value of the text, or undefined where it is not allowed. */
  readonly parse: (text: string) => T | undefined;
}

const setting = <T>(
  name: string,
  fallback: string,
  allowed: string,
  meaning: string,
  parse: (text: string) => T | undefined,
  marks: Pick<Variable, 'secret' | 'demoOnly'> = {},
): Setting<T> => ({ name, default: fallback, allowed, meaning, parse, ...marks });

const wholeNumber = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : undefined;
};

const oneOf =
  <T extends string>(...words: T[]) =>
  (text: string) =>
    words.find((word) => word === text);

const url =
  (...protocols: string[]) =>
  (text: string) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed && protocols.includes(parsed.protocol) ? text.replace(/\/+$/, '') : undefined;
  };

const listOf = (isValid: (part: string) => boolean) => (text: string) => {
  const parts = text.split(',').map((part) => part.trim());
  return parts.every(isValid) ? parts : undefined;
};

const anyText = (text: string) => (text.trim() === '' ? undefined : text);

/** Every variable of the environment, in the order of the README's table. */
export const settings = {
  nodeEnv: setting(
    'NODE_ENV',
    'development',
    '`production`, `development` or `test`',
    'In production, defaults that are only for trying out are refused. `npm start` sets it.',
    oneOf('production', 'development', 'test'),
  ),
  host: setting('HOST', '0.0.0.0', 'an address', 'The address to listen on.', anyText),
  port: setting(
    'PORT',
    '3000',
    'a whole number from 0 to 65535',
    'The port to listen on; 0 takes a free one.',
    wholeNumber(0, 65535),
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    'http://localhost:3000',
    'an http or https URL',
    'The base address as clients see it; problem types and links begin with it.',
    url('http:', 'https:'),
    { demoOnly: true },
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    'a URL such as `postgres://user:password@host:5432/name`',
    'PostgreSQL. Empty: the embedded SQLite database.',
    url('postgres:', 'postgresql:'),
    { secret: true },
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    '10',
    'a whole number from 2 to 200',
    'PostgreSQL connections of this instance.',
    wholeNumber(2, 200),
  ),
  sqliteFile: setting(
    'SQLITE_FILE',
    'data/availability.sqlite',
    'a path',
    'The embedded database; used where `DATABASE_URL` is empty.',
    anyText,
  ),
  salesContact: setting(
    'SALES_CONTACT',
    'sales@example.net',
    'a text such as an e-mail address or a telephone number',
    'Whom the messages of checks and orders name.',
    anyText,
    { demoOnly: true },
  ),
  priceHoldMinutes: setting(
    'PRICE_HOLD_MINUTES',
    '15',
    'a whole number from 0 to 10080',
    'Minutes for which an order that cites a check keeps its price and lead time.',
    wholeNumber(0, 10_080),
  ),
  workingHours: setting(
    'WORKING_HOURS',
    'Mon-Fri 09:00-17:00',
    'days with intervals, such as `Mon-Thu 09:00-12:30,13:30-17:30; Fri 09:00-16:00`',
    'When the staff work, by the clock of London. Deadlines are counted in this time; bank holidays of England and Wales have none.',
    parseWeek,
  ),
  firstContactHours: setting(
    'FIRST_CONTACT_HOURS',
    '4',
    'a whole number from 1 to 200',
    'Working hours within which the client of a new order is contacted first.',
    wholeNumber(1, 200),
  ),
  firstContactWarnPercent: setting(
    'FIRST_CONTACT_WARN_PERCENT',
    '75',
    'a whole number from 1 to 100',
    'Part of that time after which an order counts as nearly late.',
    wholeNumber(1, 100),
  ),
  staleClaimHours: setting(
    'STALE_CLAIM_HOURS',
    '8',
    'a whole number from 0 to 1000',
    'Working hours without an entry after which a claimed order goes back to the queue. 0: never.',
    wholeNumber(0, 1_000),
  ),
  checkRetentionDays: setting(
    'CHECK_RETENTION_DAYS',
    '400',
    'a whole number from 1 to 36500',
    'Days after which the record of a check is deleted. Longer than a year, so that a year can be compared with the one before.',
    wholeNumber(1, 36_500),
  ),
  idempotencyRetentionDays: setting(
    'IDEMPOTENCY_RETENTION_DAYS',
    '30',
    'a whole number from 30 to 36500',
    'Days for which an `Idempotency-Key` is remembered; clients are promised 30.',
    wholeNumber(30, 36_500),
  ),
  rateLimits: setting(
    'RATE_LIMITS',
    'on',
    '`on` or `off`',
    'Lifts all rate limits when `off`: for load tests only.',
    oneOf('on', 'off'),
  ),
  lookupsPerMinute: setting(
    'LOOKUPS_PER_MINUTE',
    '600',
    'a whole number from 1 to 10000000',
    'Look-ups a minute for each API client, unless `clients limits` gives it its own.',
    wholeNumber(1, 10_000_000),
  ),
  lookupBurst: setting(
    'LOOKUP_BURST',
    '100',
    'a whole number from 1 to 10000000',
    'Look-ups of one API client in one second.',
    wholeNumber(1, 10_000_000),
  ),
  ordersPerMinute: setting(
    'ORDERS_PER_MINUTE',
    '60',
    'a whole number from 1 to 10000000',
    'Orders a minute for each API client, unless `clients limits` gives it its own. On PostgreSQL all instances count together.',
    wholeNumber(1, 10_000_000),
  ),
  inFlight: setting(
    'IN_FLIGHT',
    '20',
    'a whole number from 1 to 100000',
    'Requests of one API client that an instance answers at the same time, unless `clients limits` gives it its own.',
    wholeNumber(1, 100_000),
  ),
  failuresPerMinute: setting(
    'FAILURES_PER_MINUTE',
    '20',
    'a whole number from 1 to 10000000',
    'Failed tokens and sign-ins a minute from one address; for IPv6 from its /64.',
    wholeNumber(1, 10_000_000),
  ),
  instances: setting(
    'INSTANCES',
    '1',
    'a whole number from 1 to 1000',
    'How many instances share the load: each allows its share of the look-ups.',
    wholeNumber(1, 1_000),
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'addresses or networks, separated by commas',
    'The proxies whose `X-Forwarded-For` is believed. Empty: none.',
    (text) => {
      const proxies = text.split(',').map((proxy) => proxy.trim());
      const valid = /^[0-9a-fA-F.:]+(?:\/\d{1,3})?$|^(?:loopback|linklocal|uniquelocal)$/;
      return proxies.every((proxy) => valid.test(proxy)) ? proxies : undefined;
    },
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    '`debug`, `info`, `warn`, `error` or `silent`',
    'What is logged; each request is one line of `info`.',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
  ),
  opsHost: setting(
    'OPS_HOST',
    '127.0.0.1',
    'an address',
    'The address on which metrics are served.',
    anyText,
  ),
  opsPort: setting(
    'OPS_PORT',
    '9464',
    '`off`, or a whole number from 0 to 65535',
    'The port on which metrics are served, at `/metrics`; 0 takes a free one.',
    (text) => (text === 'off' ? null : wholeNumber(0, 65535)(text)),
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    '',
    'a whole number from 0 to 300',
    'Seconds from SIGTERM, when `/health/ready` answers 503, until no more connections are taken: a load balancer has to notice within them. Empty: 5 in production, otherwise 0.',
    wholeNumber(0, 300),
  ),
  smtp: setting(
    'SMTP_URL',
    '',
    'a URL such as `smtp://user:password@host:587` or `smtps://…`, with at most `requireTLS` and a readable `ca` in its query',
    'The server that sends e-mail. STARTTLS is required unless the server is on this machine or the URL ends with `?requireTLS=false`; `?ca=<file>` adds a private authority. Empty: nobody is told anything by e-mail.',
    readSmtpUrl,
    { secret: true },
  ),
  mailFrom: setting(
    'MAIL_FROM',
    '',
    'an address such as `orders@example.net` or `Orders <orders@example.net>`',
    'The sender of every e-mail. Must be set where `SMTP_URL` is.',
    readMailbox,
  ),
  salesInbox: setting(
    'SALES_INBOX',
    '',
    'e-mail addresses, separated by commas',
    'Who is told of new orders, and reminded of late and due ones. Empty: nobody.',
    (text) => listOf(isMailAddress)(text)?.map((address): Mailbox => ({ name: '', address })),
  ),
  acknowledgeOrders: setting(
    'ACKNOWLEDGE_ORDERS',
    'off',
    '`on` or `off`',
    'Whether the contact given with an order gets an e-mail that it was received.',
    oneOf('on', 'off'),
  ),
  reminderTimes: setting(
    'REMINDER_TIMES',
    '08:30,13:30',
    '`off`, or times of day separated by commas',
    'When, Monday to Friday in London, the sales inbox is reminded of late and due orders.',
    (text) => (text === 'off' ? [] : listOf(isTimeOfDay)(text)),
  ),
  webhookKey: setting(
    'WEBHOOK_KEY',
    '',
    '32 bytes in base64, as `openssl rand -base64 32` prints them',
    'Encrypts the signing secrets of webhooks in the database. Empty: no webhooks.',
    (text) => {
      const key = Buffer.from(text, 'base64');
      return key.length === 32 && key.toString('base64') === text ? key : undefined;
    },
    { secret: true },
  ),
  webhookNetworks: setting(
    'WEBHOOK_NETWORKS',
    '',
    'networks such as `10.0.0.0/8`, separated by commas',
    "Networks beside the public internet to which the operator's own webhooks may go. Outside production API clients' webhooks may go there too, and `http:` is taken.",
    listOf(isNetwork),
  ),
  railCoverageLostPercent: setting(
    'RAIL_COVERAGE_LOST_PERCENT',
    '10',
    'a whole number from 0 to 100',
    'A catalogue that loses more of what is covered needs an explicit word.',
    wholeNumber(0, 100),
  ),
  railPriceMovedPercent: setting(
    'RAIL_PRICE_MOVED_PERCENT',
    '30',
    'a whole number from 0 to 1000000',
    'A catalogue that moves a price by more needs an explicit word.',
    wholeNumber(0, 1_000_000),
  ),
  railProductLost: setting(
    'RAIL_PRODUCT_LOST',
    'on',
    '`on` or `off`',
    'A catalogue in which a product is no longer sold anywhere needs an explicit word.',
    oneOf('on', 'off'),
  ),
  railZoneWithoutPrices: setting(
    'RAIL_ZONE_WITHOUT_PRICES',
    'on',
    '`on` or `off`',
    'A catalogue with coverage in a zone that has no price needs an explicit word.',
    oneOf('on', 'off'),
  ),
  lintOff: setting(
    'LINT_OFF',
    '',
    'names of lint rules, separated by commas; `catalogue lint --rules` lists them',
    'Warnings about a catalogue that nobody wants to see.',
    (text) => {
      const rules = text.split(',').map((rule) => rule.trim());
      return rules.every((rule) => /^[a-z]+(?:-[a-z]+)*$/.test(rule)) ? rules : undefined;
    },
  ),
  catalogueVersionsKept: setting(
    'CATALOGUE_VERSIONS_KEPT',
    '20',
    'a whole number from 1 to 10000',
    'The newest catalogue versions that `catalogue prune` keeps.',
    wholeNumber(1, 10_000),
  ),
  catalogueUploadMegabytes: setting(
    'CATALOGUE_UPLOAD_MB',
    '128',
    'a whole number from 1 to 512',
    'Megabytes of the three files that `POST /catalogue/versions` takes together.',
    wholeNumber(1, 512),
  ),
};

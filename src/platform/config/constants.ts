/**
 * Values that are part of `Config` and no settings: no operator has a reason to change them. A test can give others.
 */
export const constants = {
  /** Checks of an API client in one second: a program that checks a list is slowed down, a person never. `clients limits` sets another for a client. */
  lookupBurst: 100,
  /** Requests of a staff member that an instance answers at the same time: a browser opens six connections. */
  staffInFlight: 8,
  /** The same for searches, exports, reports and comparisons, each of which reads the whole table of orders. */
  staffHeavyInFlight: 2,
  /** Seconds a minute for which requests of a staff member may keep an instance busy: three quarters remain for checks. */
  staffWorkSeconds: 15,
  /** Failed tokens and sign-ins a minute from one address (IPv6: one /64): more than an office mistypes, and too few to guess a password. */
  failuresPerMinute: 20,
  /** How long an instance that cannot read the database accepts the tokens that it knows: longer than a failover, and short for a token that was revoked elsewhere. */
  tokenTrustSeconds: 900,
  /** The percentage of `FIRST_CONTACT_HOURS` after which an order counts as nearly late: with four hours, one is left. */
  firstContactWarnPercent: 75,
  /** Times of day in London: at the start of the day and after lunch. Without `SALES_INBOX` there are no reminders. */
  reminderTimes: Object.freeze(['08:30', '13:30']),
  /** How long reports keep the numbers of checks a day: a year can be compared with the one before it started. */
  checkDayRetentionDays: 400,
  /** How long an `Idempotency-Key` is remembered. Clients are promised it. */
  idempotencyRetentionDays: 30,
  /** How much longer a route is than the straight line: the usual figure for British roads. `build_bands.csv` says what each distance costs, so another figure belongs there. */
  routeFactor: 1.3,
  /** Of the files of an upload together: a catalogue of every British postcode has about 50. */
  catalogueUploadMegabytes: 128,
  /** How long an uploaded catalogue may be checked and compared: ten times what the largest takes. The proxies of `deploy/` wait as long. */
  catalogueImportSeconds: 300,
};

/** Settings of versions before, with what applies instead. One that is still set stops the start. */
export const removedSettings: Readonly<Record<string, string>> = {
  LOOKUP_BURST: 'it is 100; `clients limits --burst` sets another for a client',
  STAFF_IN_FLIGHT: 'it is 8',
  STAFF_HEAVY_IN_FLIGHT: 'it is 2',
  STAFF_WORK_SECONDS: 'it is 15',
  FAILURES_PER_MINUTE: 'it is 20',
  TOKEN_TRUST_SECONDS: 'it is 900',
  FIRST_CONTACT_WARN_PERCENT: 'it is 75',
  REMINDER_TIMES: 'reminders are sent at 08:30 and 13:30, and none without SALES_INBOX',
  CHECK_DAY_RETENTION_DAYS: 'it is 400',
  IDEMPOTENCY_RETENTION_DAYS: 'it is 30',
  ROUTE_FACTOR: 'it is 1.3; change the distances of build_bands.csv',
  CATALOGUE_UPLOAD_MB: 'it is 128',
  CATALOGUE_IMPORT_SECONDS: 'it is 300',
  CATALOGUE_VERSIONS_KEPT: 'it is 20; `catalogue prune --keep` takes another',
  RAIL_COVERAGE_LOST_PERCENT: 'it is 10; a reason lets a catalogue pass',
  RAIL_PRICE_MOVED_PERCENT: 'it is 30; a reason lets a catalogue pass',
  RAIL_PRODUCT_LOST: 'a reason lets a catalogue pass',
  RAIL_ZONE_WITHOUT_PRICES: 'a reason lets a catalogue pass',
  OIDC_NAME: 'the button says "your company account"',
  OIDC_TRUST_EMAIL: 'set OIDC_EMAIL_PROOF=none',
  RATE_LIMITS: 'set ALLOW_INSECURE=no-rate-limits',
};

import { readdirSync, readFileSync } from 'node:fs';
import { readConfig, type Config } from '../../src/platform/config/config.js';

/** What is known of the filled database of a release, beside its rows: ids, and secrets in plain text. */
export interface ReleasedFacts {
  readonly release: string;
  /** The instant of its last change: the tests set their clocks to it. */
  readonly at: string;
  readonly token: string;
  readonly testToken: string;
  readonly staffToken: string;
  readonly staffEmail: string;
  readonly staffPassword: string;
  readonly recoveryCode: string;
  readonly webhookSecret: string;
  readonly checkId: string;
  readonly testCheckId: string;
  readonly order: { readonly id: string; readonly key: string; readonly body: object };
  readonly testOrderId: string;
  /** In progress, claimed by the holder of `staffToken`. */
  readonly claimedOrderId: string;
  /** Its last move can still be undone. */
  readonly undoableOrderId: string;
  readonly quoteId: string;
  readonly testQuoteId: string;
  readonly cursor: string;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

export const RELEASED = 'released';

/** The settings with which the databases of releases are filled and opened. The keys are for tests only. */
export function releasedConfig(database: Pick<Config, 'sqliteFile' | 'databaseUrl'>): Config {
  const { sqliteFile, databaseUrl } = database;
  return readConfig({
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...(databaseUrl === null ? { SQLITE_FILE: sqliteFile } : { DATABASE_URL: databaseUrl }),
    ALLOW_INSECURE: 'no-rate-limits',
    NEAR_NET: 'all',
    WEBHOOK_KEY: Buffer.alloc(32, 1).toString('base64'),
    WEBHOOK_NETWORKS: '127.0.0.0/8',
    STAFF_KEY: Buffer.alloc(32, 2).toString('base64'),
    OFFER_APPROVAL_OVER: '50000 GBP',
  });
}

/** The releases that have databases, oldest first. */
export function releases(): string[] {
  return readdirSync(RELEASED)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export function factsOf(release: string, engine: 'sqlite' | 'postgres'): ReleasedFacts {
  return JSON.parse(readFileSync(`${RELEASED}/${release}/${engine}.json`, 'utf8')) as ReleasedFacts;
}

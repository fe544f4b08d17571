import { resolve } from 'node:path';
import { DataSource, DataSourceOptions, DefaultNamingStrategy, type Table } from 'typeorm';
import { AuditEntry } from './platform/audit/audit-entry.entity.js';
import { CheckDay, UncountedChecks } from './availability/check-day.entity.js';
import { CheckRow } from './availability/check.entity.js';
import {
  CatalogueVersion,
  CatalogueContentRow,
} from './catalogue/versions/catalogue-version.entity.js';
import { PostcodeRegister } from './catalogue/versions/postcode-register.entity.js';
import { CoverageNotice } from './coverage-sync/coverage-notice.entity.js';
import { AccessToken } from './clients/access-token.entity.js';
import { ApiClient } from './clients/api-client.entity.js';
import { ClientErrorDay } from './clients/client-error-day.entity.js';
import type { Config } from './platform/config/config.js';
import { schemaReleases } from './platform/database/migrations/releases.js';
import { DatabaseSecret } from './platform/database/database-secret.entity.js';
import { noTimeouts, timeouts } from './platform/database/postgres/postgres-engine.js';
import { sandboxesOf } from './platform/database/sides.js';
import { Revision } from './platform/database/revision.entity.js';
import { bindIntegers, OPENING_TIMEOUT, prepareSqlite } from './platform/database/sqlite/sqlite.js';
import { SqliteFile } from './platform/database/sqlite/sqlite-file.js';
import { OrderViewers } from './queue/live/viewers.entity.js';
import { OutboxMessage } from './platform/notifications/messages/outbox-message.entity.js';
import { WebhookEndpoint } from './platform/notifications/webhook-endpoint.entity.js';
import { Delivery } from './orders/record/delivery.entity.js';
import { Charge } from './orders/record/charge.entity.js';
import { ConversationMessage } from './orders/record/message.entity.js';
import { RateLimit } from './platform/limits/rate-limit.entity.js';
import { BespokeOffer } from './orders/record/bespoke-offer.entity.js';
import { OrderUndo } from './orders/moves/order-undo.entity.js';
import { IdempotencyKey } from './orders/placing/idempotency-key.entity.js';
import { QuoteColumns, QuoteDraft } from './quotes/record/quote-draft.entity.js';
import { Quote } from './quotes/record/quote.entity.js';
import { OrderWord } from './orders/record/order-word.entity.js';
import { Order } from './orders/record/order.entity.js';
import {
  SignInDelay,
  StaffCredential,
  StaffIdentity,
  StaffLink,
  StaffRecoveryCode,
} from './staff/sign-in/sign-in.entity.js';
import { StaffMember } from './staff/member/staff-member.entity.js';
import { Watch, WatchCaller } from './watches/watch.entity.js';
import { WatchProgress } from './watches/watch-progress.entity.js';
import { StaffSession } from './staff/sessions/staff-session.entity.js';

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Columns in snake_case. Entities name indexes and constraints. */
class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snake(propertyName);
  }

  override primaryKeyName(table: Table | string): string {
    return `pk_${typeof table === 'string' ? table : table.name}`;
  }
}

const entities = [
  AccessToken,
  ApiClient,
  AuditEntry,
  BespokeOffer,
  CatalogueContentRow,
  CatalogueVersion,
  Charge,
  CheckDay,
  CheckRow,
  ClientErrorDay,
  ConversationMessage,
  CoverageNotice,
  DatabaseSecret,
  Delivery,
  IdempotencyKey,
  Order,
  OrderUndo,
  OrderViewers,
  OrderWord,
  OutboxMessage,
  PostcodeRegister,
  Quote,
  QuoteColumns,
  QuoteDraft,
  RateLimit,
  Revision,
  SignInDelay,
  StaffCredential,
  StaffIdentity,
  StaffLink,
  StaffMember,
  StaffRecoveryCode,
  StaffSession,
  UncountedChecks,
  Watch,
  WatchCaller,
  WatchProgress,
  WebhookEndpoint,
];

const shared = {
  entities: [...entities, ...sandboxesOf(entities)],
  migrationsTableName: 'migrations',
  namingStrategy: new SnakeNaming(),
  synchronize: false,
  logging: false,
} as const satisfies Partial<DataSourceOptions>;

/** SQLite by default, PostgreSQL by URL. @param patience `short`: PostgreSQL has timeouts */
export function createDataSource(config: Config, patience: 'short' | 'endless' = 'short') {
  const migrations = schemaReleases.flatMap((release) => [...release.migrations]);
  const dataSource = new DataSource(
    config.databaseUrl === null
      ? {
          ...shared,
          migrations,
          type: 'better-sqlite3',
          database: config.sqliteFile === ':memory:' ? ':memory:' : resolve(config.sqliteFile),
          timeout: OPENING_TIMEOUT,
          driver: SqliteFile,
          prepareDatabase: prepareSqlite,
          // The default, 100 in order of arrival, is too small for the service's own statements.
          statementCacheSize: 300,
        }
      : {
          ...shared,
          migrations,
          type: 'postgres',
          url: config.databaseUrl,
          // Migrations need a second connection for their lock.
          poolSize: patience === 'short' ? config.databasePoolSize : 2,
          parseInt8: true,
          installExtensions: false,
          applicationName: 'product-availability',
          extra: patience === 'short' ? timeouts : noTimeouts,
        },
  );
  if (config.databaseUrl === null) bindIntegers(dataSource);
  return dataSource;
}

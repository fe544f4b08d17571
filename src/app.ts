import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Clock } from './platform/kernel/clock.js';
import { trustProxies } from './platform/http/client-address.js';
import { bodyReader } from './platform/http/json-body.js';
import { LeanExpressAdapter } from './platform/http/lean-express.adapter.js';
import { RoutesService } from './platform/http/routes.service.js';
import { checkFastPath } from './availability/check-fast-path.js';
import { serveDocuments } from './platform/openapi/documents.js';
import { securityHeaders } from './platform/http/security-headers.js';
import { acceptRequest, joinSlashes } from './platform/http/request-id.js';
import { Transactions } from './platform/database/transactions.js';
import type { Config } from './platform/config/config.js';
import { serving } from './serving.js';
import { Log } from './ops/log.js';
import { RequestLogService } from './ops/request-log.service.js';

/** The application, with its database open and migrated. The caller calls `listen`. */
export async function createApp(
  config: Config,
  clock?: Clock,
  log = new Log(config),
): Promise<NestExpressApplication> {
  const adapter = new LeanExpressAdapter(securityHeaders(config.publicUrl));
  const module = AppModule.forRoot(config, clock, 'served', serving(config));
  const options = { bodyParser: false, abortOnError: false, logger: log };
  const app = await NestFactory.create<NestExpressApplication>(module, adapter, options);
  const requestLog = app.get(RequestLogService);
  requestLog.writeTo(log);
  adapter.rules.ended = (answer) => requestLog.ended(answer);
  configure(app, config);
  adapter.answerFirst(checkFastPath(app));
  return app;
}

/** Adds the middleware, in order. */
function configure(app: NestExpressApplication, config: Config): void {
  trustProxies(app.getHttpAdapter().getInstance(), config.trustProxy);
  app.set('query parser', 'simple');
  app.use(acceptRequest);
  app.use(joinSlashes);
  app.use(bodyReader(app.get(RoutesService).bodies));
  const transactions = app.get(Transactions);
  app.use((_request: unknown, _response: unknown, next: () => void) => transactions.arrived(next));
  serveDocuments(app, config);
}

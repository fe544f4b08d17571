import { NestFactory, APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
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
import { Log } from './ops/log.js';
import { RequestLogService } from './ops/request-log.service.js';
import { type DynamicModule, Logger } from '@nestjs/common';
import { BearerGuard } from './clients/bearer.guard.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { OpsModule } from './ops/ops.module.js';
import { PagesModule } from './pages.module.js';
import { ProblemFilter, answerBrokenRequests } from './platform/http/problem.filter.js';
import { QueryGuard } from './platform/http/valid.js';
import { RateLimitsGuard } from './platform/limits/rate-limits.guard.js';
import { errorPages } from './platform/ui/error-page.js';
import { PlaceCounter } from './platform/ui/navigation.js';
import { SessionGuard } from './staff/sessions/session.guard.js';
import http, { type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { BackgroundWork } from './platform/kernel/background-work.js';
import { AccessService } from './clients/access.service.js';
import { HealthService } from './ops/health.service.js';
import { MetricsService } from './ops/metrics.service.js';
import { DeliveryService } from './platform/notifications/delivery.service.js';
import { OidcService } from './staff/sign-in/oidc.service.js';
import { once } from 'node:events';

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

/** What the HTTP server adds to `AppModule`. Commands do not load it: it is a quarter of the files. */
export function serving(config: Config): Required<Pick<DynamicModule, 'imports' | 'providers'>> {
  return {
    imports: [
      DiscoveryModule,
      PagesModule,
      OpsModule,
      DocumentationModule,
      ...(config.mcp ? [McpModule] : []),
    ],
    providers: [
      RoutesService,
      { provide: APP_GUARD, useExisting: BearerGuard },
      { provide: APP_GUARD, useExisting: SessionGuard },
      { provide: APP_GUARD, useExisting: RateLimitsGuard },
      { provide: APP_GUARD, useClass: QueryGuard },
      { provide: APP_FILTER, useExisting: ProblemFilter },
      {
        provide: ProblemFilter,
        useFactory: (routes: RoutesService, sessions: SessionGuard, counter: PlaceCounter) => {
          const pages = errorPages((request) => sessions.viewerOf(request), counter);
          return new ProblemFilter(config.publicUrl, routes, pages);
        },
        inject: [RoutesService, SessionGuard, PlaceCounter],
      },
    ],
  };
}

/** Serves `/metrics` on a separate address. @throws where the port is taken */
export async function listenForOps(
  { opsHost, opsPort }: Pick<Config, 'opsHost' | 'opsPort'>,
  metrics: MetricsService,
): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Only GET /metrics is here.\n');
      return;
    }
    metrics.read().then(
      ({ text, type }) => response.writeHead(200, { 'Content-Type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(opsPort ?? 0, opsHost);
  await once(server, 'listening');
  outliveErrors(server);
  return server.unref();
}

/** Milliseconds until a stop closes the connections of running requests. */
const GRACE = 20_000;

const logger = new Logger('serve');

/**
 * Listens. On SIGTERM or SIGINT it tells the load balancer, waits, answers running requests, flushes
 * buffers and exits. A second signal exits at once.
 * @param end ends the process with this code
 */
export async function serve(
  app: NestExpressApplication,
  config: Config,
  end: (code: number) => unknown = (code) => process.exit(code),
): Promise<{ port: number }> {
  const server = app.getHttpServer();
  const sockets = openSockets(server);
  const requestLog = app.get(RequestLogService);
  answerBrokenRequests(server, config.publicUrl, (problem, id) => requestLog.refused(problem, id));
  await app.listen(config.port, config.host);
  void app.get(OidcService).checkIssuer();
  outliveErrors(server);
  await serveMetrics(app, config);
  app.get(DeliveryService).warnOfSilences();
  app.get(AccessService).warnOfOlderVersions();
  app.get(BackgroundWork).startServing();
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) {
        logger.warn(`${signal} again: exiting now.`);
        end(128 + constants.signals[signal]);
        return;
      }
      stopping = true;
      logger.log(`${signal}: stopping.`);
      void stop(app, server, sockets, config).then(
        () => exit(0, end),
        (error: unknown) => {
          logger.error(`The stop failed: ${String(error)}`);
          exit(1, end);
        },
      );
    });
  }
  return { port: (server.address() as AddressInfo).port };
}

/** A connection that cannot be accepted, such as without a free descriptor, ends neither the server nor the process. */
function outliveErrors(server: http.Server): void {
  server.on('error', (error) => logger.error(`A connection was not accepted: ${String(error)}`));
}

function exit(code: number, end: (code: number) => unknown): void {
  logger.log('Stopped.');
  end(code);
}

function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** The service runs without metrics if their port is taken. */
async function serveMetrics(app: NestExpressApplication, config: Config): Promise<void> {
  if (config.opsPort === null) return;
  try {
    const ops = await listenForOps(config, app.get(MetricsService).withProcess());
    const { port } = ops.address() as AddressInfo;
    logger.log(`Metrics at http://${config.opsHost}:${port}/metrics.`);
  } catch (error) {
    logger.error(
      `No metrics are served: ${String(error)}. Set OPS_PORT to another port, or to off.`,
    );
  }
}

/** Keeps closing idle connections, and unused ones, which Node does not count as idle. */
async function stop(
  app: NestExpressApplication,
  server: Server,
  sockets: ReadonlySet<Socket>,
  config: Config,
): Promise<void> {
  app.get(HealthService).drain();
  (app.getHttpAdapter() as LeanExpressAdapter).rules.closing = true;
  await wait(config.drainSeconds * 1_000);
  const idle = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE);
  server.closeIdleConnections();
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(cut);
  }
}

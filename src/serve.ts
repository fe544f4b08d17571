import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { answerBrokenRequests } from './platform/http/problem.filter.js';
import type { LeanExpressAdapter } from './platform/http/lean-express.adapter.js';
import type { Config } from './platform/config/config.js';
import { BackgroundWork } from './platform/kernel/background-work.js';
import { AccessService } from './clients/access.service.js';
import { HealthService } from './ops/health.service.js';
import { MetricsService } from './ops/metrics.service.js';
import { RequestLogService } from './ops/request-log.service.js';
import { DeliveryService } from './platform/notifications/delivery.service.js';
import { OidcService } from './staff/sign-in/oidc.service.js';
import { once } from 'node:events';
import http from 'node:http';

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

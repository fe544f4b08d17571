import { once } from 'node:events';
import http from 'node:http';
import type { Config } from '../platform/config/config.js';
import type { MetricsService } from './metrics.service.js';

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
  return server.unref();
}

import type { INestApplication } from '@nestjs/common';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBrokenRequests } from './common/broken-requests.js';
import type { Config } from './config.js';
import { DeliveryService } from './notifications/delivery.service.js';

/** Milliseconds for which a stop waits for running requests before it cuts their connections. */
const GRACE = 20_000;

/** Listens, and stops in order on SIGTERM or SIGINT: answer what runs, write what waits, close. */
export async function serve(app: INestApplication, config: Config): Promise<{ port: number }> {
  await app.listen(config.port, config.host);
  const server = app.getHttpServer() as Server;
  answerBrokenRequests(server, config.publicUrl);
  app.get(DeliveryService).start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A second signal finds no handler and ends the process at once.
      void stop(app, server).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
  return { port: (server.address() as AddressInfo).port };
}

/** Idle keep-alive sockets would hold the stop up for seconds: they are closed, again and again. */
async function stop(app: INestApplication, server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE);
  server.closeIdleConnections();
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(cut);
  }
}

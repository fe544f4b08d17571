import type { INestApplication } from '@nestjs/common';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerBrokenRequests } from './common/broken-requests.js';
import type { Config } from './config.js';
import { DeliveryService } from './notifications/delivery.service.js';

/** Milliseconds for which a stop waits for running requests before it cuts their connections. */
const GRACE = 20_000;

/** Listens, and stops in order on SIGTERM or SIGINT: answer what runs, write what waits, close. */
export async function serve(app: INestApplication, config: Config): Promise<{ port: number }> {
  const server = app.getHttpServer() as Server;
  const sockets = openSockets(server);
  answerBrokenRequests(server, config.publicUrl);
  await app.listen(config.port, config.host);
  app.get(DeliveryService).start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A second signal finds no handler and ends the process at once.
      void stop(app, server, sockets).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
  return { port: (server.address() as AddressInfo).port };
}

function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/**
 * Idle keep-alive connections would hold the stop up for seconds: they are closed, again and again.
 * Those on which nothing has been sent are not idle to Node, and would hold it up to its end.
 */
async function stop(
  app: INestApplication,
  server: Server,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
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

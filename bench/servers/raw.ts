import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, headersFor, listening } from './given.js';

/** Only Node's HTTP server. */
const server = http.createServer((request, response) => {
  const body = answers.get(request.url!);
  if (body === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, headersFor(body));
  response.end(body);
});
server.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));

import express from 'express';
import type { AddressInfo } from 'node:net';
import { answers, headerPairs, listening } from './given.js';

/** Express with its defaults. */
const app = express();
app.get('/product-availability/postcode/:postcode', (request, response) => {
  for (const [name, value] of headerPairs) response.setHeader(name, value);
  response.send(answers.get(request.url));
});
const server = app.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));

// Receives webhooks and verifies their signature.
//   SECRET=whsec_… PORT=8080 node receive-webhooks.ts
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from 'product-availability';

const { SECRET: secret = '', PORT: port = '8080' } = process.env;

const server = createServer(async (request, response) => {
  const body = await text(request);
  const message = await verifyWebhook(secret, request.headers, body);
  // Store it now under its webhook-id, which can come again. Process it afterwards.
  console.log(message ? `Verified: ${JSON.stringify(message)}` : 'Refused');
  response.writeHead(message ? 204 : 400).end();
});
server.listen(Number(port), 'localhost', () => console.log(`Listening on port ${port}`));

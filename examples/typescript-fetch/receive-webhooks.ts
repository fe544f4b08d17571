// Receives webhooks and verifies their signature, with Node.js only.
//   SECRET=whsec_… PORT=8080 node receive-webhooks.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

const secret = process.env.SECRET ?? '';
const port = Number(process.env.PORT ?? 8080);

/** Whether the service sent it within the last five minutes. `body` is the unchanged text. */
function isGenuine(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  // During a secret rotation there are two signatures; one match is enough.
  return String(headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  const good = isGenuine(secret, request.headers, body);
  // Store it now under its webhook-id, which can come again. Process it afterwards.
  console.log(good ? `Verified: ${body}` : 'Refused');
  response.writeHead(good ? 204 : 400).end();
});
server.listen(port, 'localhost', () => console.log(`Listening on port ${port}`));

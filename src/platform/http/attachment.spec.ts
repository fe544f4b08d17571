import { expect, it } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Chunks } from './write-chunks.js';
import { contentFor, CSV, PDF } from './attachment.js';

/** A response as Express makes it. */
function responseTo(path: string, query = {}, type = CSV): ServerResponse {
  const request = Object.assign(new IncomingMessage(new Socket()), { path, query });
  const response = Object.assign(new ServerResponse(request), { req: request });
  response.setHeader('Content-Type', type);
  return response;
}

async function written(out: Writable): Promise<string> {
  const chunks: Chunks = contentFor(out, ['a,', 'b']);
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

it.each([
  ['a page', responseTo('/staff/queue.csv'), '\uFEFFa,b'],
  ['a program that asks for it', responseTo('/follow-up/orders.csv', { bom: 'yes' }), '\uFEFFa,b'],
  ['another program', responseTo('/follow-up/orders.csv'), 'a,b'],
  ['a page with another file', responseTo('/staff/quotes/QUO-7F3K9Q.pdf', {}, PDF), 'a,b'],
  ['a file on disk', new Writable(), 'a,b'],
])('marks CSV for %s as it needs', async (_reader, out, expected) => {
  expect(await written(out)).toBe(expected);
});

import { expect, it } from '@jest/globals';
import { asJson } from './mcp.service.js';

const stream = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

it.each([
  ['one message', 'event: message\ndata: {"id":1}\n\n', 200, 'application/json', '{"id":1}'],
  ['two messages', 'data: {"id":1}\n\ndata: {"id":2}\n\n', 200, 'application/json', '[{"id":1},{"id":2}]'], // prettier-ignore
  ['a comment', ': keep-alive\n\n', 202, null, ''],
  ['nothing', '', 202, null, ''],
])('answers a stream with %s', async (_what, text, status, type, body) => {
  const answer = await asJson(stream(text));
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    status,
    type,
    body,
  ]);
});

it('keeps an answer that is no stream', async () => {
  const answer = Response.json({ id: 1 }, { status: 400 });
  expect(await asJson(answer)).toBe(answer);
});

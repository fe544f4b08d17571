/** The messages of an answer that the SDK made as a stream of events, as JSON: one, or a list of several. */
export async function asJson(answer: Response): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer;
  const events = (await answer.text()).matchAll(/^data: ?(.+)$/gm);
  const messages = Array.from(events, ([, data]) => data);
  // An empty body is no JSON. The protocol has 202 for an answer without a message.
  if (messages.length === 0) return new Response(null, { status: 202 });
  return new Response(messages.length === 1 ? messages[0] : `[${messages.join()}]`, {
    status: answer.status,
    headers: { 'content-type': 'application/json' },
  });
}

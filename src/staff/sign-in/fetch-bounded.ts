import type { CustomFetch } from 'openid-client';
import { sendRequest } from '../../platform/kernel/outgoing-request.js';

/** Bytes of an answer. Metadata and key sets have some kB. */
const MOST = 1024 * 1024;
/** Milliseconds, where openid-client sets none. */
const LONGEST = 5_000;
/** Their answers have no body: Fetch Standard, null body status. */
const BODILESS = [204, 205, 304];

/**
 * As `fetch`, with the whole answer read: the signal of the request bounds its time, and an answer of
 * more than `MOST` bytes is an error. Names are resolved outside the thread pool.
 */
export const fetchBounded: CustomFetch = async (
  url,
  { method, headers, body, signal = AbortSignal.timeout(LONGEST) },
) => {
  const answer = await sendRequest(new URL(url), {
    method,
    headers,
    ...(body && { body: await new Response(body as BodyInit).text() }),
    signal,
    mostRead: MOST,
  }).catch((error: unknown) => {
    throw signal.aborted ? error : new TypeError('fetch failed', { cause: error });
  });
  if (!answer.isWhole) throw new Error('The answer is too large.');
  const { status, statusText } = answer;
  return new Response(BODILESS.includes(status) ? null : answer.body, {
    status,
    statusText,
    headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  });
};

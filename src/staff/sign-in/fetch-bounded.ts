import type { CustomFetch } from 'openid-client';

/** Bytes of an answer, decompressed. Metadata and key sets have some kB. */
const MOST = 1024 * 1024;

/**
 * As `fetch`, with the whole answer read: the signal of the request bounds its time, and an answer of
 * more than `MOST` bytes is an error.
 */
export const fetchBounded: CustomFetch = async (url, request) => {
  const answer = await fetch(url, request as RequestInit);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST) throw new Error('The answer is too large.');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = answer;
  const body = answer.body && new Blob(chunks);
  return new Response(body, { status, statusText, headers });
};

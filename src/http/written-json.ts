/**
 * An answer that is JSON text already. The HTTP adapter sends it as it is, so that what was
 * serialised once is not parsed, copied and serialised again for each request.
 */
export class WrittenJson {
  constructor(readonly text: string) {}
}

/** The headers of an answer that is JSON text, name and value in turn. */
export function jsonHeaders(bytes: number): string[] {
  return [
    ...['Content-Type', 'application/json'],
    ...['Content-Length', String(bytes)],
    ...['Cache-Control', 'no-store'],
  ];
}

/** Marks `text` as an answer of the shape T; T is what the description documents. */
export function writtenJson<T>(text: string): T {
  return new WrittenJson(text) as T;
}

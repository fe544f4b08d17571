/**
 * An answer that is JSON text already: the HTTP adapter sends it as it is. A text that never changes is
 * serialised only once.
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

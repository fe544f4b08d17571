/** A response that is JSON text already, so that constant content is serialised only once. */
export class WrittenJson {
  constructor(readonly text: string) {}
}

/** Alternating names and values. */
export function jsonHeaders(bytes: number): string[] {
  return ['Content-Type', 'application/json', 'Content-Length', String(bytes)];
}

/** @returns the text as a response, declared as the type T that the OpenAPI document shows */
export function writtenJson<T>(text: string): T {
  return new WrittenJson(text) as T;
}

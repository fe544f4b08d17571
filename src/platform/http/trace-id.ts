/** https://www.w3.org/TR/trace-context/#traceparent-header */
const shape = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** The trace id of a `traceparent`: 32 hexadecimal digits. Undefined where the header is absent or invalid. */
export function traceIdIn(header: unknown): string | undefined {
  if (typeof header !== 'string' || header.length > 200) return undefined;
  const [, traceId, spanId] = shape.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (header.startsWith('00') && header.length !== 55) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : traceId;
}

/** The trace of a request in the log: its caller's, otherwise the digits of the request's id. */
export function traceIdOf(requestId: string, header: unknown): string {
  return traceIdIn(header) ?? digitsOf(requestId);
}

/** A UUID without hyphens. Slicing is faster than replacing. */
function digitsOf(id: string): string {
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

/**
 * How many headers of this name, in lower case, are among Node's `rawHeaders` (names and values in turn).
 * `headersDistinct` would report it too, but builds a whole second set of headers to do so.
 */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}

import { readFileSync } from 'node:fs';

/** The responses of the bare servers: the bytes of the service, from a table. */
interface Given {
  /** Alternating names and values, in the order of the service. */
  readonly headers: readonly string[];
  /** Bodies by path. */
  readonly answers: Readonly<Record<string, string>>;
}

const given = JSON.parse(readFileSync(process.env.BENCH_ANSWERS!, 'utf8')) as Given;
export const answers = new Map(Object.entries(given.answers));

/** The headers with the length of this body. Date and keep-alive are Node's own. */
export function headersFor(body: string): string[] {
  const headers = given.headers.slice();
  headers.push('Content-Length', String(Buffer.byteLength(body)));
  return headers;
}

export const headerPairs: readonly (readonly [string, string])[] = given.headers.flatMap(
  (name, i) => (i % 2 === 0 ? [[name, given.headers[i + 1]!] as const] : []),
);

export function listening(port: number): void {
  process.stdout.write(`Listening on 127.0.0.1:${port}\n`);
  process.once('SIGTERM', () => process.exit(0));
}

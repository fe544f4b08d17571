import { readFileSync } from 'node:fs';

/** The variables for Node and for the C library with which a systemd unit or a Dockerfile saves memory. */
export function memorySettings(file: string): Readonly<Record<string, string>> {
  const lines = /^(?:Environment=|ENV )"?(NODE_OPTIONS|MALLOC_\w+)="?(.*?)"?$/gm;
  const found = readFileSync(file, 'utf8').matchAll(lines);
  return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value]));
}

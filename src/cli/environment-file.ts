import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Refused } from '../platform/problems/refused.js';
import { accessFault } from '../platform/database/sqlite/sqlite-file.js';

/** Adds the variables of a file such as systemd's `EnvironmentFile` to those of the process. */
export function loadEnvironment(file: string | undefined): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refused(`The settings ${file} cannot be read: ${accessFault(file, error)}`);
  }
  process.env = { ...parseEnv(text), ...process.env };
}

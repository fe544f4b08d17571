import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RegisterService } from '../../src/catalogue/versions/register.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { newFolder } from './closing.js';
import type { Service } from './service.js';

/** A covered unit, and places east of it: the number is metres as the crow flies. */
const AT: Readonly<Record<string, number>> = {
  'EC2A 2BS': 0,
  'E1 6AN': 38,
  'E1 6AA': 39,
  'E1 6AB': 269,
  'E1 6AD': 270,
  'E1 6AE': 1_538,
  'E1 6AF': 1_539,
  'E1 6AG': 3_000,
};

export const FAR = ['JE2 3AB', 'GY1 1AA', 'IM1 1AA', 'BT1 1AA'];

/** Imports these and more. */
export function importPositions(service: Service, extra: readonly string[] = []): Promise<void> {
  const rows = Object.entries(AT).map(([postcode, east]) => `${postcode},${533_000 + east},182000`);
  // Of places with another grid, although the numbers are near; and of a unit without a position.
  rows.push(...FAR.map((postcode) => `${postcode},533010,182000`), 'E1 6AH,,', ...extra);
  return importRows(service, rows);
}

/** Replaces the register by rows such as `EC2A 2BS,533000,182000`; without numbers, a place has no position. */
export async function importRows(service: Service, rows: readonly string[]): Promise<void> {
  const file = join(await newFolder(), 'positions.csv');
  await writeFile(file, ['postcode,easting,northing', ...rows, ''].join('\n'));
  await service.get(RegisterService).importFile(file, { actor: operator, accept: 'test' });
}

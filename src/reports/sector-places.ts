import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePlace } from '../platform/kernel/postcode.js';

/** The postcode sectors of Great Britain, by their keys in ascending order. Units of 100 m. */
export interface SectorPlaces {
  /** `EC2A 2` */
  readonly names: readonly string[];
  readonly keys: Uint32Array;
  readonly eastings: Uint16Array;
  readonly northings: Uint16Array;
  /** Postcodes in use. */
  readonly postcodes: Uint16Array;
}

let loaded: SectorPlaces | undefined;

/** Read when the first map is drawn: most instances never draw one. */
export function sectorPlaces(): SectorPlaces {
  return (loaded ??= parseSectors(readFileSync(join(import.meta.dirname, 'sectors.txt'), 'utf8')));
}

/** @param text lines such as `EC2A 1:5331,1821,98 2:…`, in any order */
export function parseSectors(text: string): SectorPlaces {
  const rows = text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [district = '', ...sectors] = line.split(' ');
      return sectors.map((sector) => {
        const [digit = '', values = ''] = sector.split(':');
        const place = parsePlace(`${district} ${digit}`);
        if (!('key' in place)) throw new Error(`${district} ${digit} is no postcode sector.`);
        return { ...place, values: values.split(',').map(Number) };
      });
    })
    .sort((a, b) => a.key - b.key);
  const column = (i: number) => Uint16Array.from(rows, ({ values }) => values[i] ?? 0);
  return {
    names: rows.map(({ name }) => name),
    keys: Uint32Array.from(rows, ({ key }) => key),
    eastings: column(0),
    northings: column(1),
    postcodes: column(2),
  };
}

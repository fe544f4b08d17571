import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RegisterService } from '../../src/catalogue/versions/register.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { newFolder } from '../support/closing.js';
import type { CatalogueRows } from '../support/given.js';
import type { Service } from '../support/service.js';

/** Numbers from 0 to below `n`; equal seeds give equal numbers (mulberry32). */
export function randomNumbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

const OUTWARDS = ['E1', 'E1W', 'EC1A', 'EC2A', 'EC2B', 'N1', 'N1P', 'SW1A', 'SE1', 'W1A'];
const LETTERS = 'ABDEFGHJLN';
const ZONES = ['LIT', 'NEAR', 'OUTER', 'PLANNED', 'ENDING'];
const PRODUCTS = ['ETH-1G-36', 'INT-100M-12', 'INT-1G-12', 'INT-1G-36', 'INT-10G-60'];
const DAYS = ['2026-03-03', '2026-03-06', '2026-03-10', '2026-04-01'];

/** 10,000 real and invented postcodes, ten thousand metres from west to east. */
export const postcodes = OUTWARDS.flatMap((outward) =>
  Array.from({ length: 10 }, (_, sector) =>
    Array.from({ length: 100 }, (_, unit) => {
      const [first, second] = [LETTERS[Math.floor(unit / 10)], LETTERS[unit % 10]];
      return `${outward} ${sector}${first}${second}`;
    }),
  ).flat(),
);

/** Gives the postcodes positions, for prices by distance. */
export async function importPlaces(service: Service): Promise<void> {
  const rows = postcodes.map(
    (one, i) => `${one},${530_000 + 13 * (i % 100)},${180_000 + 11 * Math.floor(i / 100)}`,
  );
  const register = join(await newFolder(), 'positions.csv');
  await writeFile(register, ['postcode,easting,northing', ...rows, ''].join('\n'));
  await service.get(RegisterService).importFile(register, { actor: operator });
}

/** A catalogue that changes at random: every kind of row, with exclusions, dates, derived prices and bands. */
export class RandomCatalogue {
  private readonly places = new Map<string, string>();
  private readonly premises = new Map<number, string>();
  private readonly prices = new Map<string, string>();
  private readonly zones = new Map<string, string>();
  private readonly sold = new Map<string, string>();
  private percent = -10;
  private band = 300;
  /** Whether places without coverage have a price by distance. */
  hasBands = false;

  constructor(private readonly below: (n: number) => number) {
    for (const zone of ZONES) this.places.set(this.onePlace(), zone);
    for (let i = 0; i < 400; i++) this.change();
    for (const zone of ZONES) this.places.set(this.oneOf(postcodes), zone);
  }

  /** At random: some rows come, change or go. */
  change(): void {
    const { below } = this;
    const zone = this.oneOf(ZONES);
    switch (below(8)) {
      case 0:
        this.places.delete(this.oneOf([...this.places.keys()]));
        break;
      case 1:
      case 2:
        this.places.set(this.onePlace(), below(5) === 0 ? '-' : zone);
        break;
      case 3: {
        const uprn = 1 + below(500);
        const name = below(3) === 0 ? '' : `"House ${below(9)}, Quay"`;
        const at = postcodes[(uprn * 37 + below(2)) % postcodes.length]!;
        if (below(4) === 0) this.premises.delete(uprn);
        else {
          const position = `${530_000 + 13 * below(100)},${180_000 + 11 * below(100)}`;
          const served = below(5) === 0 ? '-' : zone;
          this.premises.set(
            uprn,
            `${uprn},${at},${name},${below(3) === 0 ? `,${position}` : `${served},,`},${this.constraints('-')}`,
          );
        }
        break;
      }
      case 4: {
        const network = this.oneOf(['', 'onNetWithoutBuild', 'onNetWithBuild', 'offNetWithBuild']);
        const [ready, end] = [zone === 'PLANNED', zone === 'ENDING'].map((is) => is && this.day());
        this.zones.set(
          zone,
          `${zone},,${network},${ready || ''},A note,${end || ''},${this.constraints('')}`,
        );
        break;
      }
      case 5: {
        const code = this.oneOf(PRODUCTS);
        const days =
          below(3) === 0 ? [this.day(), ''] : below(3) === 0 ? ['', this.day()] : ['', ''];
        this.sold.set(code, days.join());
        break;
      }
      default: {
        const key = `${this.oneOf(PRODUCTS)},${zone},${this.oneOf(['standard', 'standard', 'own'])}`;
        // One dated row of a key at most: two that overlap are a fault.
        const isDated = below(4) === 0;
        const last = isDated ? `,,${this.day()},` : '';
        const setUp = this.oneOf(['', '0', '250.00']);
        const basis = this.oneOf(['firm', 'subjectToSurvey', 'indicative']);
        const terms = `${100 + below(900)}.${10 + below(90)},GBP,${10 + below(90)},${setUp},${basis}`;
        const at = isDated ? `${key} dated` : key;
        if (below(6) === 0) this.prices.delete(at);
        else this.prices.set(at, `${key},${terms}${last}`);
        this.percent = below(20) === 0 ? -below(30) : this.percent;
        this.band = below(40) === 0 ? 200 + below(300) : this.band;
      }
    }
  }

  get rows(): CatalogueRows {
    return {
      products: PRODUCTS.map((code) => {
        const [, speed, term] = code.split('-') as [string, string, string];
        const gigabits = speed === '100M' ? 0.1 : Number.parseInt(speed);
        return `${code},${speed} product,${gigabits},10,${term},${this.sold.get(code) ?? ','},Internet`;
      }),
      prices: [...this.prices.values()],
      coverage: [...this.places].map(([place, zone]) => `${place},${zone}`),
      premises: [...this.premises.values()],
      zones: [...this.zones.values()],
      constraintTexts: this.percent < -15 ? ['surveyRequired,We come and look first.'] : [],
      priceLists: [`partner,standard,${this.percent},0.50`],
      buildBands: this.hasBands
        ? [`*,100,100.00,7,subjectToSurvey,*`, `*,${this.band},950,14,subjectToSurvey,INT-*`]
        : [],
    };
  }

  private constraints(none: string): string {
    return this.oneOf(['', '', none, 'surveyRequired', 'wayleaveOwner|surveyRequired']);
  }

  private onePlace(): string {
    const unit = this.oneOf(postcodes);
    const [outward = ''] = unit.split(' ');
    const sector = unit.slice(0, -2);
    return this.oneOf([unit, unit, unit, unit, sector, sector, sector, outward]);
  }

  private day(): string {
    return this.oneOf(DAYS);
  }

  private oneOf<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}

import type { DemandRow } from '../../follow-up/reports/reports.dto.js';
import { areaTiles } from './area-tiles.js';
import { classNames, compact, countClasses, number, percent, shareClasses } from './chart-scale.js';

export const measures = ['demand', 'coverage', 'lost', 'orders'] as const;
export type Measure = (typeof measures)[number];

interface MeasureWords {
  readonly name: string;
  readonly definition: string;
  readonly words: (value: number) => string;
}

const counted = (singular: string, plural: string) => (value: number) =>
  `${number(value)} ${value === 1 ? singular : plural}`;

export const measureWords: Readonly<Record<Measure, MeasureWords>> = {
  demand: {
    name: 'Demand',
    definition: 'Postcode checks that were made in these days.',
    words: counted('check', 'checks'),
  },
  coverage: {
    name: 'Coverage',
    definition: 'The share of the checks of these days that found at least one product.',
    words: (value) => `${percent(value)} of the checks found a product`,
  },
  lost: {
    name: 'Lost demand',
    definition: 'Checks of these days that found nothing to sell.',
    words: counted('check found nothing', 'checks found nothing'),
  },
  orders: {
    name: 'Orders',
    definition: 'Orders received in these days.',
    words: counted('order', 'orders'),
  },
};

export function isMeasure(text: string): text is Measure {
  return (measures as readonly string[]).includes(text);
}

/** An area with what the measure says of it; null where it cannot say anything. */
export interface MeasuredArea {
  readonly area: string;
  readonly row: DemandRow;
  readonly value: number | null;
}

export interface MeasuredMap {
  readonly measure: Measure;
  /** Those of the map, and those beside it of which something is known. */
  readonly areas: readonly MeasuredArea[];
  readonly bounds: readonly number[];
  /** What each class holds, the first one nothing. */
  readonly classes: readonly string[];
  readonly highest: number;
}

const none = { checks: 0, checksWithoutProduct: 0, orders: 0 };

export function measureMap(rows: readonly DemandRow[], measure: Measure): MeasuredMap {
  const known = new Map(rows.map((row) => [row.area, row]));
  const names = new Set([...areaTiles.map(({ area }) => area), ...known.keys()]);
  const areas = [...names].map((area) => {
    const row = known.get(area) ?? { area, ...none };
    return { area, row, value: valueOf(row, measure) };
  });
  const values = areas.flatMap(({ value }) => (value === null ? [] : [value]));
  const highest = Math.max(0, ...values);
  if (measure === 'coverage') {
    const classes = ['none', 'under 25%', '25–49%', '50–74%', '75–99%', 'all'];
    return { measure, areas, bounds: shareClasses, classes, highest };
  }
  const bounds = countClasses(values);
  return { measure, areas, bounds, classes: classNames(bounds, highest), highest };
}

/** On a tile, where there is room for four characters. */
export function tileText(value: number | null, measure: Measure): string {
  if (value === null || (value === 0 && measure !== 'coverage')) return '';
  return measure === 'coverage' ? percent(value) : compact(value);
}

function valueOf(row: DemandRow, measure: Measure): number | null {
  switch (measure) {
    case 'demand':
      return row.checks;
    case 'lost':
      return row.checksWithoutProduct;
    case 'orders':
      return row.orders;
    case 'coverage':
      return row.checks === 0 ? null : (row.checks - row.checksWithoutProduct) / row.checks;
  }
}

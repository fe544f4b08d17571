import type { DemandRow } from '../../follow-up/reports/reports.dto.js';
import { whole } from '../shell/parts.js';
import { areaTiles } from './area-tiles.js';
import { classNames, compact, countClasses, percent, shareClasses } from './chart-scale.js';

export type Measure = 'demand' | 'coverage' | 'lost' | 'orders';

interface MapMeasure {
  readonly name: string;
  readonly definition: string;
  /** Null for an area without checks, which has no share. */
  readonly of: (row: DemandRow) => number | null;
  readonly words: (value: number) => string;
}

const counted = (singular: string, plural: string) => (value: number) =>
  `${whole(value)} ${value === 1 ? singular : plural}`;

export const mapMeasures: Readonly<Record<Measure, MapMeasure>> = {
  demand: {
    name: 'Demand',
    definition: 'Postcode checks in this period.',
    of: ({ checks }) => checks,
    words: counted('check', 'checks'),
  },
  coverage: {
    name: 'Coverage',
    definition: 'The share of checks in this period that found at least one product.',
    of: ({ checks, checksWithoutProduct }) =>
      checks === 0 ? null : (checks - checksWithoutProduct) / checks,
    words: (value) => `${percent(value)} of the checks found a product`,
  },
  lost: {
    name: 'Lost demand',
    definition: 'Checks in this period that found no product.',
    of: ({ checksWithoutProduct }) => checksWithoutProduct,
    words: counted('check found nothing', 'checks found nothing'),
  },
  orders: {
    name: 'Orders',
    definition: 'Orders received in this period.',
    of: ({ orders }) => orders,
    words: counted('order', 'orders'),
  },
};

export function isMeasure(text: string): text is Measure {
  return Object.hasOwn(mapMeasures, text);
}

export interface MeasuredArea extends DemandRow {
  readonly value: number | null;
}

export interface MeasuredMap {
  readonly measure: Measure;
  /** The areas of the map, and other areas with checks or orders. */
  readonly areas: readonly MeasuredArea[];
  readonly bounds: readonly number[];
  /** The range of each class, from class 0. */
  readonly classes: readonly string[];
  readonly highest: number;
}

export function measureMap(rows: readonly DemandRow[], measure: Measure): MeasuredMap {
  const known = new Map(rows.map((row) => [row.area, row]));
  const names = new Set([...areaTiles.map(({ area }) => area), ...known.keys()]);
  const areas = [...names].map((area) => {
    const row = known.get(area) ?? { area, checks: 0, checksWithoutProduct: 0, orders: 0 };
    return { ...row, value: mapMeasures[measure].of(row) };
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

/** The text on a tile, which has room for four characters. */
export function tileText(value: number | null, measure: Measure): string {
  if (value === null || (value === 0 && measure !== 'coverage')) return '';
  return measure === 'coverage' ? percent(value) : compact(value);
}

import { amountsByCurrency } from '../report-figures.js';
import { classOf, percent } from '../drawing/chart-scale.js';
import { amountsInWords } from '../drawing/columns.js';
import { type MapPlace, shareCovered, shareNotServed, shareReached } from './map-places.js';
import { counted, whole } from '../../platform/kernel/counts.js';

export type LayerName = 'demand' | 'lost' | 'watched' | 'orders' | 'coverage' | 'reach';

export interface MapLayer {
  readonly name: string;
  readonly definition: string;
  /** The size of the circle. */
  readonly of: (place: MapPlace) => number;
  /** What the ranking is by; by default the size. */
  readonly rank?: (place: MapPlace) => number;
  /** The share that gives the circle its colour; null without one. */
  readonly share: (place: MapPlace) => number | null;
  /** Classes `<shades>0` to `<shades>5` of the style sheet. */
  readonly shades: 'u' | 'q' | 'o';
  readonly legend: string;
  /** The value and the share. */
  readonly words: (place: MapPlace) => string;
}

const checksInWords = (place: MapPlace) => {
  const share = shareNotServed(place);
  const end = share === null ? '' : `, ${percent(share)} not served`;
  return `${counted(place.checks, 'check')}${end}`;
};

const demandLayer: MapLayer = {
  name: 'Demand',
  definition: 'Postcode checks in this period. Colour shows the share that found no product.',
  of: ({ checks }) => checks,
  share: shareNotServed,
  shades: 'u',
  legend: 'Checks not served',
  words: checksInWords,
};

export const mapLayers: Readonly<Record<LayerName, MapLayer>> = {
  demand: demandLayer,
  lost: {
    ...demandLayer,
    name: 'Unserved demand',
    definition:
      'Checks in this period that found no product. Colour shows their share of all checks.',
    of: ({ notServed }) => notServed,
    words: (place) => `${whole(place.notServed)} not served of ${counted(place.checks, 'check')}`,
  },
  watched: {
    name: 'Watched places',
    definition: 'Places where API clients wait for products now: their open watches.',
    of: ({ watched }) => watched,
    share: () => null,
    shades: 'o',
    legend: '',
    words: ({ watched }) => counted(watched, 'watch', 'watches'),
  },
  orders: {
    name: 'Orders',
    definition: 'Orders received in this period.',
    of: ({ orders }) => orders,
    share: () => null,
    shades: 'o',
    legend: '',
    words: ({ orders, amounts }) => {
      const end = orders === 0 ? '' : `, ${amountsInWords(amountsByCurrency(amounts))} per month`;
      return `${counted(orders, 'order')}${end}`;
    },
  },
  coverage: {
    name: 'Coverage',
    definition:
      'Postcodes where the live catalogue sells, on the standard price list. Circles are sized by postcodes.',
    of: ({ postcodes }) => postcodes,
    rank: ({ covered }) => covered,
    share: shareCovered,
    shades: 'q',
    legend: 'Postcodes covered',
    words: (place) => {
      const share = shareCovered(place);
      if (share === null) return 'coverage not known';
      return `${percent(share)} of ${counted(place.postcodes, 'postcode')} covered`;
    },
  },
  reach: {
    name: 'Near the network',
    definition:
      'Postcodes without coverage that get a price by distance. Colour shows their share of all postcodes.',
    of: ({ reached }) => reached,
    share: shareReached,
    shades: 'q',
    legend: 'Postcodes near the network',
    words: (place) =>
      `${whole(place.reached)} of ${counted(place.postcodes, 'postcode')} near the network`,
  },
};

export function isLayer(text: string): text is LayerName {
  return Object.hasOwn(mapLayers, text);
}

/** The class that colours a place. */
export function shadeOf({ share, shades }: MapLayer, place: MapPlace): string {
  const value = share(place);
  return `${shades}${value === null ? 0 : classOf(value, shareBounds)}`;
}

/** Lower bounds of the classes 1 to 5. */
const shareBounds: readonly number[] = [0.05, 0.25, 0.5, 0.75, 0.95];

/** The shares of the classes 0 to 5. */
export const shareNames = ['under 5%', '5–24%', '25–49%', '50–74%', '75–94%', '95–100%'];

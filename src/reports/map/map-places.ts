/** Demand, orders and coverage of the places on the map. */
import type { SectorDemand } from '../demand.service.js';
import type { Amounts } from '../report-counts.service.js';
import type { GridPoint } from '../../near-net/map-frame.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { addAmounts } from '../report-figures.js';
import type { SectorPlaces } from '../sector-places.js';

export interface MapPlace {
  /** `EC`, `EC2A` or `EC2A 2` */
  readonly name: string;
  /** Null where the position is not known. */
  at: GridPoint | null;
  /** 0 where they are not known. */
  postcodes: number;
  /** Of these, those where the live catalogue sells. */
  covered: number;
  /** Those with a price by distance, on the layer that shows them. */
  reached: number;
  checks: number;
  notServed: number;
  byStaff: number;
  /** Open watches. */
  watched: number;
  orders: number;
  amounts: Amounts;
}

export type MapLevel = 'area' | 'district' | 'sector';

/** The place of the level around a sector. */
export const aroundSector: Readonly<Record<MapLevel, (sector: string) => string>> = {
  area: (sector) => sector.slice(0, isDigit(sector[1]) ? 1 : 2),
  district: (sector) => sector.slice(0, -2),
  sector: (sector) => sector,
};

function isDigit(character = ''): boolean {
  return character >= '0' && character <= '9';
}

/** Areas outside Great Britain, whose sectors have no positions here. */
const areaPositions: Readonly<Record<string, GridPoint>> = {
  BT: { x: 1240, y: 5330 },
  IM: { x: 2330, y: 4830 },
  GY: { x: 5750, y: 300 },
  JE: { x: 6350, y: 300 },
};

/** Sectors that are put on the map, or added up, in one turn of the event loop. */
const IN_A_TURN = 2_000;

/** The sectors that have postcodes, checks or orders. @param isShown by name and position; by default all */
export async function sectorsOnMap(
  demand: readonly SectorDemand[],
  places: SectorPlaces,
  covered: Uint16Array,
  reached: ReadonlyMap<number, number> | null = null,
  isShown: (sector: string, at: GridPoint | null) => boolean = () => true,
): Promise<MapPlace[]> {
  const rest = new Map(demand.map((row) => [row.sector, row]));
  const all: MapPlace[] = [];
  for await (const group of inTurns(groupsOf(places.names.keys(), IN_A_TURN))) {
    for (const i of group) {
      const name = places.names[i]!;
      const row = rest.get(name);
      rest.delete(name);
      const at = { x: places.eastings[i]!, y: places.northings[i]! };
      if (!isShown(name, at)) continue;
      const place = placeWith(name, row);
      place.at = at;
      place.postcodes = places.postcodes[i]!;
      place.covered = covered[i]!;
      place.reached = reached?.get(places.keys[i]!) ?? 0;
      all.push(place);
    }
  }
  const unplaced = [...rest.values()].filter(({ sector }) => isShown(sector, null));
  return all.concat(unplaced.map((row) => placeWith(row.sector, row)));
}

function placeWith(name: string, row?: SectorDemand): MapPlace {
  const { checks = 0, notServed = 0, byStaff = 0, watched = 0, orders = 0 } = row ?? {};
  const amounts = row?.amounts ?? noAmounts;
  const none = { at: null, postcodes: 0, covered: 0, reached: 0 };
  return { name, ...none, checks, notServed, byStaff, watched, orders, amounts };
}

const noAmounts: Amounts = new Map();

/** The areas of the country. A part of an area is added up again with its other parts. */
export async function groupAreas(sectors: readonly MapPlace[]): Promise<MapPlace[]> {
  const parts: MapPlace[] = [];
  for await (const group of inTurns(groupsOf(sectors, IN_A_TURN))) {
    parts.push(...groupPlaces(group, 'area'));
  }
  return groupPlaces(parts, 'area');
}

/** Sums sectors to larger places, each at the mean position of its postcodes. */
export function groupPlaces(sectors: readonly MapPlace[], level: MapLevel): MapPlace[] {
  const groups = Map.groupBy(sectors, ({ name }) => aroundSector[level](name));
  return [...groups].map(([name, parts]) => {
    const place = placeWith(name);
    const middle = { x: 0, y: 0 };
    const amounts = new Map<string, number>();
    for (const part of parts) {
      for (const count of counts) place[count] += part[count];
      addAmounts(amounts, part.amounts);
      middle.x += (part.at?.x ?? 0) * part.postcodes;
      middle.y += (part.at?.y ?? 0) * part.postcodes;
    }
    place.amounts = amounts;
    const { postcodes } = place;
    const fixed = level === 'area' ? (areaPositions[name] ?? null) : null;
    place.at = postcodes > 0 ? { x: middle.x / postcodes, y: middle.y / postcodes } : fixed;
    return place;
  });
}

export function emptyArea(name: string): MapPlace {
  return groupPlaces([placeWith(`${name}1 1`)], 'area')[0]!;
}

const counts = [
  'postcodes',
  'covered',
  'reached',
  'checks',
  'notServed',
  'byStaff',
  'watched',
  'orders',
] as const;

export function shareNotServed({ checks, notServed }: MapPlace): number | null {
  return checks === 0 ? null : notServed / checks;
}

export function shareReached({ postcodes, reached }: MapPlace): number | null {
  return postcodes === 0 ? null : reached / postcodes;
}

export function shareCovered({ postcodes, covered }: MapPlace): number | null {
  return postcodes === 0 ? null : covered / postcodes;
}

/** What is drawn on the map of the country, of an area, and of a district. */
import { textWidth } from '../drawing/chart-scale.js';
import { areaCodes, areaWords, sectorPlaces } from '../sector-places.js';
import {
  dotsPath,
  frameAround,
  type GridPoint,
  isInFrame,
  type MapCircle,
  type MapFrame,
  project,
  radiusOf,
  ringPath,
  scaleBar,
  spread,
} from '../../near-net/map-frame.js';
import type { MapLayer } from './map-layers.js';
import {
  aroundSector,
  emptyArea,
  groupPlaces,
  type MapLevel,
  type MapPlace,
} from './map-places.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { inTurns } from '../../platform/kernel/turns.js';
import { Asset } from '../../platform/ui/assets.js';

let loaded: readonly (readonly GridPoint[])[] | undefined;

/** The coast of the United Kingdom and the Isle of Man, and the border of Northern Ireland, as rings. */
export function outline(): readonly (readonly GridPoint[])[] {
  return (loaded ??= parseOutline(readFileSync(join(import.meta.dirname, 'outline.txt'), 'utf8')));
}

/** @param text a line for each ring: its first point, then the step to each next one */
function parseOutline(text: string): GridPoint[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      let at = { x: 0, y: 0 };
      return line.split(' ').map((step) => {
        const [x = 0, y = 0] = step.split(',').map(Number);
        return (at = { x: at.x + x, y: at.y + y });
      });
    });
}

export interface DrawnPlace extends MapCircle {
  readonly place: MapPlace;
  /** Names the place where it is read without the map: "EC2A 2", "AB Aberdeen". */
  readonly words: string;
  /** The visible name, where it fits; of a sector of the district also its digit. */
  readonly label: string;
  /** The place that a link leads to; null for the orders of a sector. */
  readonly leadsTo: string | null;
  readonly isOther: boolean;
}

/** What is below the circles, as path data. */
export interface MapGround {
  readonly land: string;
  /** A dot for each sector: where most of its postcodes are covered, and others. */
  readonly covered: string;
  readonly dots: string;
}

export interface MapScene {
  readonly isClose: boolean;
  readonly width: number;
  readonly height: number;
  /** Or the address of a picture with it, which browsers keep. */
  readonly ground: MapGround | string;
  readonly boxes: readonly MapBox[];
  /** The largest first. */
  readonly places: readonly DrawnPlace[];
  /** Areas next to the one that is shown. */
  readonly neighbours: readonly (GridPoint & { readonly name: string })[];
  readonly bar: { readonly km: number; readonly length: number };
}

export interface MapBox extends GridPoint {
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

const country: MapFrame = {
  west: 0,
  north: 10_650,
  scale: 500 / 7_200,
  width: 500,
  height: 740,
  left: 0,
  top: 0,
};

/** The middle of London, larger, in the sea. */
const london: MapFrame = {
  west: 5_070,
  north: 2_030,
  scale: 166 / 460,
  width: 166,
  height: 166,
  left: 328,
  top: 210,
};

const boxes: readonly MapBox[] = [
  { x: 328, y: 192, width: 166, height: 184, name: 'London' },
  { x: 362, y: 36, width: 74, height: 92, name: 'Shetland' },
  { x: 372, y: 684, width: 104, height: 50, name: 'Channel Islands' },
];

/** Shetland is drawn further south, in a box. */
const moved = ({ x, y }: GridPoint): GridPoint =>
  y > 10_750 ? { x: x + 1_250, y: y - 2_150 } : { x, y };

/** Units between two dots. */
const DOT_GRID = 3;
const COUNTRY_DOT_GRID = 5;
/** The radius of the largest circle, at most. */
const LARGEST = { country: 24, area: 36, district: 40 };
/** The part of a map that circles may cover: more would hide where they are. */
const MOST_COVER = { country: 0.07, close: 0.2 };
/** Sectors around a district that its map shows. */
const MOST_OTHERS = 40;

let countryLand: string | undefined;

/** The shapes of the country in parts, each a few milliseconds of work. */
function* countryGround(
  sectors: readonly MapPlace[],
): Generator<readonly [shape: keyof MapGround, path: string]> {
  countryLand ??= outline()
    .map((ring) => ringPath(country, ring.map(moved), 2.5))
    .join('');
  yield ['land', countryLand];
  for (const frame of [country, london]) {
    yield ['dots', dotsIn(frame, sectors, COUNTRY_DOT_GRID, false)];
    yield ['covered', dotsIn(frame, sectors, COUNTRY_DOT_GRID, true)];
  }
}

/** @param ground the address of the country's */
export function countryScene(
  areas: readonly MapPlace[],
  layer: MapLayer,
  ground: string,
): MapScene {
  const withChecks = new Set(areas.map(({ name }) => name));
  // Areas outside Great Britain without a check.
  const none = areaCodes.filter((name) => !withChecks.has(name)).map(emptyArea);
  const all = [...areas, ...none].filter(({ at }) => at !== null);
  const sizeOf = sizes(
    all,
    layer,
    LARGEST.country,
    MOST_COVER.country * country.width * country.height,
  );
  const draw = (place: MapPlace, frame: MapFrame) =>
    drawn(place, project(frame, moved(place.at!)), sizeOf(place), {
      words: areaWords(place.name),
      leadsTo: place.name,
    });
  const isInner = ({ at }: MapPlace) => isInFrame(london, at!);
  const inner = spread(
    all.filter(isInner).map((place) => draw(place, { ...london, left: 0, top: 0 })),
    london,
  ).map((one) => ({ ...one, x: one.x + london.left, y: one.y + london.top }));
  const outer = spread(
    all.filter((place) => !isInner(place)).map((place) => draw(place, country)),
    country,
  );
  return {
    isClose: false,
    width: country.width,
    height: country.height,
    ground,
    boxes: [...boxes, boxOf(london, country)],
    places: inDrawingOrder([...outer, ...inner]),
    neighbours: [],
    bar: scaleBar(country, 110),
  };
}

/** The least width on the ground, in units of 100 m, and the width divided by that of the sectors. */
const closeFrames: Readonly<Record<CloseLevel, readonly [least: number, margin: number]>> = {
  area: [60, 1.2],
  district: [24, 1.9],
};
type CloseLevel = Exclude<MapLevel, 'sector'>;

function frameOf(level: CloseLevel, points: readonly GridPoint[]): MapFrame {
  return frameAround(points, 520, ...closeFrames[level]);
}

/** Whether a sector belongs to the area or district, or is on its map. */
export function isOnMapOf(place: string, level: CloseLevel) {
  const { names, eastings, northings } = sectorPlaces();
  const isOwn = (sector: string) => aroundSector[level](sector) === place;
  const points = names.flatMap((name, i) =>
    isOwn(name) ? { x: eastings[i]!, y: northings[i]! } : [],
  );
  const frame = points.length === 0 ? null : frameOf(level, points);
  return (sector: string, at: GridPoint | null) =>
    isOwn(sector) || (at !== null && frame !== null && isInFrame(frame, at));
}

/** Null if no sector of the area has a position. */
export function areaScene(
  sectors: readonly MapPlace[],
  area: string,
  layer: MapLayer,
): MapScene | null {
  const inArea = sectors.filter(({ name, at }) => at && aroundSector.area(name) === area);
  if (inArea.length === 0) return null;
  const frame = frameOf('area', positionsOf(inArea));
  const districts = groupPlaces(inArea, 'district');
  const sizeOf = sizes(districts, layer, LARGEST.area, MOST_COVER.close * frame.width ** 2);
  const places = districts.map((place) =>
    drawn(place, project(frame, place.at!), sizeOf(place), { leadsTo: place.name }),
  );
  return {
    ...sceneOf(sectors, frame),
    places: inDrawingOrder(spread(places, frame)),
    neighbours: neighboursIn(sectors, frame, area),
  };
}

/** Null if no sector of the district has a position. */
export function districtScene(
  sectors: readonly MapPlace[],
  district: string,
  layer: MapLayer,
): MapScene | null {
  const isOwn = ({ name }: MapPlace) => aroundSector.district(name) === district;
  const inDistrict = sectors.filter((one) => one.at && isOwn(one));
  if (inDistrict.length === 0) return null;
  const frame = frameOf('district', positionsOf(inDistrict));
  const others = sectors
    .filter((one) => one.at && !isOwn(one) && isInFrame(frame, one.at) && layer.of(one) > 0)
    .sort((a, b) => layer.of(b) - layer.of(a))
    .slice(0, MOST_OTHERS);
  const all = [...inDistrict, ...others];
  const sizeOf = sizes(all, layer, LARGEST.district, MOST_COVER.close * frame.width ** 2);
  const places = all.map((place) => {
    const isOther = !isOwn(place);
    const leadsTo = isOther ? aroundSector.district(place.name) : null;
    return drawn(place, project(frame, place.at!), sizeOf(place), { leadsTo, isOther });
  });
  // A dot would be seen through the circle of its sector.
  const rest = sectors.filter((one) => !all.includes(one));
  return {
    ...sceneOf(rest, frame),
    places: inDrawingOrder(spread(places, frame)),
    neighbours: [],
  };
}

function sceneOf(sectors: readonly MapPlace[], frame: MapFrame) {
  return {
    isClose: true,
    width: frame.width,
    height: frame.height,
    ground: {
      land: outline()
        .map((ring) => ringPath(frame, ring, 1))
        .join(''),
      dots: dotsIn(frame, sectors, DOT_GRID, false),
      covered: dotsIn(frame, sectors, DOT_GRID, true),
    },
    boxes: [],
    bar: scaleBar(frame, 140),
  };
}

function drawn(
  place: MapPlace,
  at: GridPoint,
  r: number,
  about: Partial<Pick<DrawnPlace, 'words' | 'leadsTo' | 'isOther'>>,
): DrawnPlace {
  const { words = place.name, leadsTo = null, isOther = false } = about;
  const texts = leadsTo === null ? [place.name, place.name.slice(-1)] : [place.name];
  const label = texts.find((text) => textWidth(text) * LABEL_SIZE + 2 <= 2 * r) ?? '';
  return { ...at, r, place, words, label, leadsTo, isOther };
}

/** The type of labels, compared with that of charts. */
const LABEL_SIZE = 0.85;

/** The radius of each place: the largest one, or smaller so that all together cover no more than `cover`. */
function sizes(places: readonly MapPlace[], layer: MapLayer, largest: number, cover: number) {
  const highest = Math.max(0, ...places.map(layer.of));
  const total = places.reduce((sum, place) => sum + layer.of(place), 0);
  const fitting = Math.sqrt((cover * highest) / (Math.PI * Math.max(1, total)));
  return (place: MapPlace) =>
    Math.round(radiusOf(layer.of(place), highest, Math.min(largest, fitting)) * 10) / 10;
}

function inDrawingOrder(places: readonly DrawnPlace[]): DrawnPlace[] {
  return [...places].sort((a, b) => b.r - a.r);
}

function positionsOf(places: readonly MapPlace[]): GridPoint[] {
  return places.flatMap(({ at }) => at ?? []);
}

/** Dots of the sectors most of whose postcodes are covered, or of the others. */
function dotsIn(
  frame: MapFrame,
  sectors: readonly MapPlace[],
  grid: number,
  covered: boolean,
): string {
  const points: GridPoint[] = [];
  for (const one of sectors) {
    const isCovered = one.covered * 2 >= one.postcodes && one.covered > 0;
    if (one.at === null || isCovered !== covered) continue;
    const at = frame === country ? moved(one.at) : one.at;
    if (isInFrame(frame, at)) points.push(project(frame, at));
  }
  return dotsPath(points, grid);
}

/** Where a frame is on the map around it. */
function boxOf(inner: MapFrame, outer: MapFrame): MapBox {
  const { x, y } = project(outer, { x: inner.west, y: inner.north });
  const size = (inner.width / inner.scale) * outer.scale;
  return {
    x: Math.round(x),
    y: Math.round(y),
    width: Math.round(size),
    height: Math.round(size),
    name: '',
  };
}

/** The other areas that the frame shows, in the middle of their part. */
function neighboursIn(sectors: readonly MapPlace[], frame: MapFrame, area: string) {
  const seen = sectors.filter(
    ({ name, at }) => at && aroundSector.area(name) !== area && isInFrame(frame, at),
  );
  return groupPlaces(seen, 'area').flatMap(({ name, at }) => {
    if (!at) return [];
    const { x, y } = project(frame, at);
    // The whole name is inside.
    const inside = (value: number) => Math.round(Math.min(Math.max(value, 20), frame.width - 20));
    return [{ name, x: inside(x), y: inside(y) }];
  });
}

/** The coast and the sectors of the country: a third of the page of the map, the same until the coverage changes. */
export interface GroundPicture {
  readonly picture: Asset;
  /** Of its content. */
  readonly hash: string;
}

/** By the coverage that they show. */
const known = new WeakMap<Uint16Array, Promise<GroundPicture>>();

/** @param sectors those of the country, with this coverage; asked for if the picture is not known */
export function groundPicture(
  covered: Uint16Array,
  sectors: () => Promise<readonly MapPlace[]>,
): Promise<GroundPicture> {
  const made = known.get(covered) ?? sectors().then(draw);
  known.set(covered, made);
  return made;
}

/** Without colours: the map that uses the shapes has them, for each colour scheme. */
async function draw(sectors: readonly MapPlace[]): Promise<GroundPicture> {
  const ground = { land: '', dots: '', covered: '' };
  for await (const [shape, path] of inTurns(countryGround(sectors))) ground[shape] += path;
  const shapes = Object.entries(ground).map(([name, path]) => `<path id="${name}" d="${path}"/>`);
  const bytes = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${shapes.join('')}</svg>`);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  return { picture: new Asset({ type: 'image/svg+xml' }, bytes), hash };
}

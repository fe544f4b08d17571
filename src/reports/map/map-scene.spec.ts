import { describe, expect, it, test } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import type { SectorDemand } from '../demand.service.js';
import { sectorPlaces } from '../sector-places.js';
import { MapDrawing } from './map-drawing.js';
import { isLayer, type LayerName, mapLayers, shadeOf } from './map-layers.js';
import { groupAreas, groupPlaces, type MapPlace, sectorsOnMap } from './map-places.js';
import {
  areaScene,
  countryScene,
  districtScene,
  isOnMapOf,
  type MapScene,
  outline,
} from './map-scene.js';

const places = sectorPlaces();
const demandIn = (sector: string, checks: number, notServed = 0, orders = 0): SectorDemand => ({
  sector,
  checks,
  notServed,
  orders,
  byStaff: 0,
  watched: 0,
  amounts: new Map(orders === 0 ? [] : [['GBP', orders * 55_000]]),
});
const country = (layer: LayerName) =>
  countryScene(groupPlaces(busy, 'area'), mapLayers[layer], '/ground.svg?v=1');
const none = new Uint16Array(places.keys.length);
const covered = places.postcodes;
/** Demand everywhere. */
const busy = await sectorsOnMap(
  places.names.map((name, i) => demandIn(name, 1 + (i % 97), i % 3, 1)),
  places,
  covered,
);
const quiet = await sectorsOnMap(
  [demandIn('EC2A 2', 8, 2, 1), demandIn('BT1 1', 3, 3)],
  places,
  none,
);
const named = (list: readonly MapPlace[], name: string) => list.find((one) => one.name === name)!;

describe('places', () => {
  it('add up their sectors, in the middle of their postcodes', () => {
    const areas = groupPlaces(quiet, 'area');
    const { at, amounts, ...ec } = named(areas, 'EC');
    expect(ec).toMatchObject({ checks: 8, notServed: 2, orders: 1, covered: 0 });
    expect([...amounts]).toEqual([['GBP', 55_000]]);
    expect([Math.round(at!.x / 10), Math.round(at!.y / 10)]).toEqual([532, 182]);
    expect(named(groupPlaces(quiet, 'district'), 'EC2A').checks).toBe(8);
  });

  it('add up to the same areas in parts', async () => {
    const rounded = (areas: readonly MapPlace[]) =>
      areas.map(({ at, ...area }) => ({
        ...area,
        x: at?.x.toFixed(6),
        y: at?.y.toFixed(6),
      }));
    expect(rounded(await groupAreas(busy))).toEqual(rounded(groupPlaces(busy, 'area')));
  });

  it('have no position where it is not known, except for the areas', () => {
    expect(named(quiet, 'BT1 1')).toMatchObject({ at: null, postcodes: 0, checks: 3 });
    expect(named(groupPlaces(quiet, 'district'), 'BT1').at).toBeNull();
    expect(named(groupPlaces(quiet, 'area'), 'BT').at).not.toBeNull();
  });
});

test.each([
  ['demand', 0, 0, 'u0', '0 checks'],
  ['demand', 100, 4, 'u0', '100 checks, 4% not served'],
  ['demand', 1, 1, 'u5', '1 check, 100% not served'],
  ['lost', 8, 2, 'u2', '2 not served of 8 checks'],
  ['orders', 8, 2, 'o0', '0 orders'],
  ['coverage', 8, 2, 'q0', 'coverage not known'],
] as const)(
  '%s of %d checks, %d not served: %s, %j',
  async (name, checks, notServed, shade, words) => {
    const layer = mapLayers[name];
    const place = (await sectorsOnMap([demandIn('BT1 1', checks, notServed)], places, none)).at(-1);
    expect([shadeOf(layer, place!), layer.words(place!)]).toEqual([shade, words]);
  },
);

test('isLayer accepts only the layers of the map', () => {
  expect(['lost', 'toString', ''].map(isLayer)).toEqual([true, false, false]);
});

const draw = (scene: MapScene, layer: LayerName = 'lost') =>
  renderToString(
    MapDrawing({
      scene,
      layer: mapLayers[layer],
      title: 'Title',
      hrefOf: (place) => `/staff/map/${place}?measure=lost&from=2026-10-25&to=2026-11-21`,
    }),
  );

describe('the map', () => {
  it.each(Object.keys(mapLayers))('of the country has 124 areas in 60 kB: %s', (layer) => {
    const scene = country(layer as LayerName);
    const svg = draw(scene, layer as LayerName);
    expect(scene.places).toHaveLength(124);
    expect(new Set(scene.places.map(({ place }) => place.name)).size).toBe(124);
    expect(Buffer.byteLength(svg)).toBeLessThan(60_000);
    expect(svg).not.toMatch(/NaN|Infinity|undefined|style=/);
  });

  it('keeps every circle inside', () => {
    const scenes = [
      country('demand'),
      areaScene(busy, 'ZE', mapLayers.demand)!,
      areaScene(busy, 'B', mapLayers.demand)!,
      districtScene(busy, 'EC3N', mapLayers.demand)!,
    ];
    for (const { places: circles, width, height } of scenes) {
      const outside = circles.filter(
        ({ x, y, r }) => x < r || y < r || x > width - r || y > height - r,
      );
      expect(outside).toEqual([]);
    }
  });

  it('draws small circles on top of large ones', () => {
    const radii = country('demand').places.map(({ r }) => r);
    expect(radii).toEqual(radii.toSorted((a, b) => b - a));
  });

  it('of every area and of a crowded district is at most 60 kB', () => {
    const areas = groupPlaces(busy, 'area').map(({ name }) =>
      areaScene(busy, name, mapLayers.lost)!,
    );
    const districts = ['EC3N', 'W1A', 'B1'].map((one) => districtScene(busy, one, mapLayers.lost)!);
    const sizes = [...areas, ...districts].map((scene) => Buffer.byteLength(draw(scene)));
    expect(Math.max(...sizes)).toBeLessThan(60_000);
  });

  it('of an area leads to its districts and to the areas around it', () => {
    const { places: circles, neighbours } = areaScene(quiet, 'EC', mapLayers.demand)!;
    expect(circles.every(({ leadsTo }) => leadsTo?.startsWith('EC'))).toBe(true);
    expect(neighbours.map(({ name }) => name)).toEqual(expect.arrayContaining(['E', 'N', 'WC']));
  });

  it('of a district has its sectors, and those around it that have a value', () => {
    const scene = districtScene(busy, 'EC2A', mapLayers.demand)!;
    const own = scene.places.filter(({ isOther }) => !isOther).map(({ place }) => place.name);
    expect(own.sort()).toEqual(['EC2A 1', 'EC2A 2', 'EC2A 3', 'EC2A 4']);
    expect(scene.places.length).toBe(44);
    expect(districtScene(quiet, 'EC2A', mapLayers.demand)!.places).toHaveLength(4);
  });

  it.each([
    ['EC', 'area'],
    ['IV', 'area'],
    ['EC2A', 'district'],
    ['W1A', 'district'],
  ] as const)(
    'of %s is the same from the sectors of its %s and those around it',
    (place, level) => {
      const draw = level === 'area' ? areaScene : districtScene;
      const isShown = isOnMapOf(place, level);
      const near = busy.filter(({ name, at }) => isShown(name, at));
      expect(near.length).toBeLessThan(busy.length / 4);
      expect(draw(near, place, mapLayers.demand)).toEqual(draw(busy, place, mapLayers.demand));
    },
  );

  it('does not exist where no position is known', () => {
    expect(areaScene(quiet, 'BT', mapLayers.demand)).toBeNull();
    expect(districtScene(quiet, 'BT1', mapLayers.demand)).toBeNull();
  });

  it('shows the coast where an area has one', () => {
    expect(outline()).toHaveLength(35);
    expect(draw(areaScene(quiet, 'PL', mapLayers.demand)!)).toMatch(/class="land" d="[^"]{200}/);
  });
});

import { expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { NearMap } from './near-map.js';

const from = { easting: 533_000, northing: 182_000 };
const point = (name: string, east: number, north: number) => ({
  name,
  row: 0,
  zoneNumber: 2,
  metres: Math.hypot(east, north),
  easting: from.easting + east,
  northing: from.northing + north,
});
const drawn = (...points: ReturnType<typeof point>[]) =>
  renderToString(<NearMap place="EC2A 2BS" around={{ from, points, bands, movedBy: 0 }} />);
/** By a factor of 1.3: the last one is wider than the drawing. */
const bands = [100, 650, 2_000].map((toMetres) => ({ toMetres, straight: toMetres / 1.3 }));
const circles = (html: string) =>
  [...html.matchAll(/<circle class="point" cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [
    x,
    y,
  ]);

it('draws the place in the middle, and points to scale with north up', () => {
  const html = drawn(point('East', 300, 0), point('South', 0, -600));
  expect(html).toContain('<rect class="place" x="155" y="155" width="10" height="10"');
  // The farthest point is 120 units away.
  expect(circles(html)).toEqual([
    ['220', '160'],
    ['160', '280'],
  ]);
  expect(html.match(/<path class="route" d="[^"]*"/g)).toEqual([
    '<path class="route" d="M160 160L220 160"',
  ]);
  expect(html).toContain('<path class="bar" d="M12 306v5h100v-5"');
  expect(html).toContain(
    'aria-labelledby="near-map-title"><title id="near-map-title">EC2A 2BS and',
  );
  expect(html).toContain('500 m</text>');
  expect(html).toContain('<li>East: 300 m</li><li>South: 600 m</li>');
});

it('draws nothing without points', () => {
  expect([drawn(), renderToString(<NearMap place="EC2A 2BS" around={null} />)]).toEqual(['', '']);
});

it('does not enlarge what is next door', () => {
  const html = drawn(point('Here', 5, 0));
  expect(circles(html)).toEqual([['172', '160']]);
  expect(html).toContain('50 m</text>');
});

it('draws how far each band reaches, as far as it fits', () => {
  const html = drawn(point('East', 300, 0));
  const rings = [...html.matchAll(/<circle class="reach" cx="160" cy="160" r="([\d.]+)"/g)];
  expect(rings.map(([, radius]) => radius)).toEqual(['30.8']);
  expect(html).toContain('A point within a ring is in the band to 100 m of route.');
});

it('puts the numbers of neighbours on no point and no other number', () => {
  const crowd = [
    [100, 0],
    [100, 2],
    [100, 12],
    [110, 4],
    [95, -6],
  ] as const;
  const html = drawn(...crowd.map(([east, north]) => point('P', east, north)));
  const numbers = [...html.matchAll(/<text x="([\d.]+)" y="([\d.]+)">\d</g)].map(([, x, y]) => [
    Number(x) + 4,
    Number(y) - 4,
  ]);
  const points = circles(html).map((spot) => spot.map(Number));
  expect([numbers.length, points.length]).toEqual([5, 5]);
  const gaps = numbers.flatMap(([x, y], i) =>
    [...points, ...numbers.slice(0, i)].map((one) => Math.hypot(x! - one[0]!, y! - one[1]!)),
  );
  expect(Math.min(...gaps)).toBeGreaterThan(10);
});

it('says that prices count from other places, where they do', () => {
  const points = [point('East', 300, 0)];
  const html = renderToString(
    <NearMap place="EC2A 2BS" around={{ from, points, bands, movedBy: 150 }} />,
  );
  expect(html).toContain('Prices count from places 150 to 225 m from these points');
  expect(drawn(...points)).not.toContain('Prices count');
});

import { expect, it } from '@jest/globals';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Tracks } from './track.js';
import { TracksService } from './tracks.service.js';

/** Tracks of 20 late orders in each of the zones. */
const tracksOf = (...zones: string[]) =>
  Tracks.of(
    zones.map((zone) =>
      Array.from({ length: 20 }, (_, i) => ({
        clientId: `client ${i % 4}`,
        family: 'INT',
        zone,
        currency: 'GBP',
        promisedDays: 10,
        tookDays: 30,
        committedDays: null,
        charged: 0,
      })),
    ),
  );

function given(...zones: string[]) {
  const clock = new FakeClock(new Date('2026-06-30T12:00:00Z'));
  const tracks = new TracksService(clock);
  const days: string[] = [];
  tracks.register((today) => {
    days.push(today);
    return tracksOf(...zones);
  });
  return { clock, tracks, days };
}

it('computes the tracks once a day, from midnight in London', async () => {
  const { clock, tracks, days } = given('NORTH');
  await tracks.refresh();
  await tracks.refresh();
  expect(days).toEqual(['2026-06-30']);
  clock.advance({ hours: 11 });
  await tracks.refresh();
  expect(days).toEqual(['2026-06-30', '2026-07-01']);
});

it('has no tracks before a feature registers', async () => {
  const tracks = new TracksService(new FakeClock());
  expect(await tracks.warnings([])).toEqual([]);
});

it('warns of zones whose lead time is not kept, with the tracks of today', async () => {
  const { tracks } = given('NORTH', 'EAST');
  expect(await tracks.warnings([])).toEqual([
    {
      rule: 'lead-time-not-kept',
      count: 2,
      examples: [
        'EAST promises 10 days, 80 % took up to 30',
        'NORTH promises 10 days, 80 % took up to 30',
      ],
    },
  ]);
  expect(await tracks.warnings(['lead-time-not-kept'])).toEqual([]);
});

it('shows at most twenty of these zones', async () => {
  const { tracks } = given(...Array.from({ length: 21 }, (_, i) => `ZONE-${i}`));
  const [warning] = await tracks.warnings([]);
  expect([warning!.count, warning!.examples.length]).toEqual([21, 20]);
});

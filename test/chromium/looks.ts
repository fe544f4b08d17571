import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { stops } from './tour.js';
import { World } from './world.js';

/** Of each route and status. */
const firstStops = new Set(
  Map.groupBy(stops, ({ route, status }) => `${route} ${status ?? 200}`)
    .values()
    .map(([first]) => first!),
);

/** Two files look at every second page each, so that two workers share the work. */
export function lookAtEverySecond(first: 0 | 1): void {
  inChromium('each page', () => {
    let world: World;
    let inside: Seat;
    let outside: Seat;
    beforeAll(async () => {
      world = await World.begin();
      inside = await Seat.open(world.service, { member: world.admin });
      outside = await Seat.open(world.service);
    });
    afterAll(async () => {
      await inside.close();
      await outside.close();
    });

    it.each(stops.filter((_, n) => n % 2 === first))(
      'has no faults in any look: $name',
      async (stop) => {
        const seat = stop.outside ? outside : inside;
        if (stop.stage) await seat.signIn(world.admin, stop.stage);
        const status = await seat.goTo(await stop.path(world));
        expect(status).toBe(stop.status ?? 200);
        const found = await seat.findingsInLooks(firstStops.has(stop) ? 'in all' : 'in two');
        expect(found).toEqual({});
        if (stop.stage) await seat.context.clearCookies();
        if (stop.status) seat.forgive(new RegExp(`status of ${stop.status} `));
        expect(seat.complaints.splice(0)).toEqual([]);
      },
    );
  });
}

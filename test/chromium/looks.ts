import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OrderActionsService } from '../../src/orders/staff/order-actions.service.js';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { inChromium, Seat } from '../support/browser.js';
import { stops } from './tour.js';
import { World } from './world.js';

/** Breaks out of attributes, tags, comments and scripts unless it is escaped. */
const evil = `"'></textarea></title></script><!--><b data-broken>x</b><img src=/x onerror=broken()><script>broken()</script>`;

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
      await plant(world);
      inside = await Seat.open(world.service, { member: world.admin });
      outside = await Seat.open(world.service);
      for (const { context, complaints } of [inside, outside])
        await context.exposeBinding('broken', () => complaints.push('broken'));
    });
    afterAll(async () => {
      await inside.close();
      await outside.close();
    });

    it.each(stops.filter((_, n) => n % 2 === first))(
      'has no faults in any look, and no markup of a hostile text: $name',
      async (stop) => {
        const seat = stop.outside ? outside : inside;
        if (stop.stage) await seat.signIn(world.admin, stop.stage);
        const status = await seat.goTo(await stop.path(world));
        expect(status).toBe(stop.status ?? 200);
        expect(await seat.page.locator('[data-broken]').count()).toBe(0);
        const found = await seat.findingsInLooks(firstStops.has(stop) ? 'in all' : 'in two');
        expect(found).toEqual({});
        if (stop.stage) await seat.context.clearCookies();
        if (stop.status) seat.forgive(new RegExp(`status of ${stop.status} `));
        expect(seat.complaints.splice(0)).toEqual([]);
      },
    );

    it('has the hostile texts as text', async () => {
      await inside.goTo('/staff/queue?view=all&sort=-received');
      expect(await inside.page.locator('main').innerText()).toContain('data-broken');
    });
  });
}

/** Puts the text into every field that a client or a colleague can fill. */
async function plant({ service }: World): Promise<void> {
  const { given } = service;
  const short = evil.slice(0, 110);
  const client = await given.client({
    name: short,
    contactName: short,
    // What the format of email allows: the tour also asks the API, whose answers are compared with its description.
    contactEmail: "'data-broken='x@evil.example",
    contactPhone: '<b data-broken>',
  });
  const token = await given.token({ client });
  const { orderId } = await given.order({
    token,
    reference: '"><b data-broken>x</b><i onclick=broken()>',
    contact: { name: short, phone: '"><b data-broken>x</b>' },
    notes: evil,
  });
  const colleague = await given.staff({ name: short });
  const caller = (member: StaffMember): StaffCaller => ({
    kind: 'staff',
    staffId: member.id,
    tokenId: member.id,
    name: member.name,
    role: member.role,
    scopes: new Set(),
  });
  const actions = service.get(OrderActionsService);
  await actions.move({ orderId, version: 0 }, { name: 'claim' }, caller(colleague));
  await actions.addNote(orderId, evil, caller(colleague));
  await actions.move(
    { orderId, version: 1 },
    { name: 'logContact', channel: 'phone', result: 'reached', note: evil },
    caller(colleague),
  );
  await actions.move(
    { orderId, version: 2 },
    { name: 'win', externalReference: '"><b data-broken>x</b>', note: evil },
    caller(colleague),
  );
}

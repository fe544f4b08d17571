import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { StaffCaller } from '../../src/platform/access/caller.js';
import { OrderActionsService } from '../../src/orders/staff/order-actions.service.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { inChromium, Seat } from '../support/browser.js';
import { later } from '../support/closing.js';

import { stops } from './tour.js';
import { World } from './world.js';

/** Breaks out of attributes, tags, comments and scripts unless it is escaped. */
const evil = `"'></textarea></title></script><!--><b data-broken>x</b><img src=/x onerror=broken()><script>broken()</script>`;

inChromium('hostile texts', () => {
  let world: World;
  let seat: Seat;
  beforeAll(async () => {
    world = await World.begin();
    await plant(world);
    seat = await Seat.open(world.service, { member: world.admin });
    await seat.context.exposeBinding('broken', () => seat.complaints.push('broken'));
  });
  afterAll(() => seat.close());

  it.each(stops.filter(({ outside }) => !outside))('are not markup: $name', async (stop) => {
    await seat.goTo(await stop.path(world));
    expect(await seat.page.locator('[data-broken]').count()).toBe(0);
    if (stop.status) seat.forgive(/status of 4/);
    expect(seat.complaints.splice(0)).toEqual([]);
  });

  it('appear on the pages as text', async () => {
    await seat.goTo('/staff/queue?view=all&sort=-received');
    expect(await seat.page.locator('main').innerText()).toContain('data-broken');
  });
});

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

inChromium('a foreign page', () => {
  it.each(['localhost', '127.0.0.1'])(
    'cannot send a form in the name of its visitor, from %s',
    async (host) => {
      const world = await World.begin();
      const seat = await Seat.open(world.service, { member: world.agent });
      const { reference, version } = await world.order('waiting');
      const target = `http://127.0.0.1:${world.service.http.port}/staff/orders/${reference}/claim`;
      const trap = await serve(
        `<form method="post" action="${target}"><input name="version" value="${version}"><button>Win a prize</button></form>`,
      );
      await seat.page.goto(`http://${host}:${trap}/`);
      await seat.page.getByRole('button').click();
      await seat.page.waitForURL(target);
      expect((await world.orderBy(reference)).state).toBe('waiting');
      expect(await seat.goTo('/staff/account')).toBe(200);
      expect(new URL(seat.page.url()).pathname).toBe('/staff/account');
      seat.forgive(/^request: http:\/\/(?:localhost|127\.0\.0\.1):|status of 40[34]/);
      await seat.close();
    },
  );

  it('cannot show the pages in a frame', async () => {
    const world = await World.begin();
    const seat = await Seat.open(world.service, { member: world.agent });
    const own = `http://127.0.0.1:${world.service.http.port}/staff/queue`;
    await seat.goTo(own);
    expect(await seat.page.locator('table').count()).toBeGreaterThan(0);
    const trap = await serve(`<iframe src="${own}"></iframe>`);
    await seat.page.goto(`http://127.0.0.1:${trap}/`);
    expect(seat.page.frames()).toHaveLength(2);
    expect(await seat.page.frames()[1]!.locator('table').count()).toBe(0);
    await seat.context.close();
  });
});

async function serve(body: string): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(request.url === '/' ? `<!doctype html><title>x</title>${body}` : '');
  });
  await new Promise<void>((done) => server.listen(0, done));
  later(
    () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
  );
  return (server.address() as AddressInfo).port;
}

import { beforeAll, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inChromium, Seat } from '../support/browser.js';
import { later } from '../support/closing.js';
import { World } from './world.js';

inChromium('a foreign page', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.begin();
  });

  it.each(['localhost', '127.0.0.1'])(
    'cannot send a form in the name of its visitor, from %s',
    async (host) => {
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

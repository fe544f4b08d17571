import { copyFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PriceBasis } from '../../src/catalogue/content/cells.js';
import type { Config } from '../../src/platform/config/config.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DEMO_CATALOGUE, fillDemoWeek, loadCatalogue } from '../../demo/week/week.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import type { OrderState } from '../../src/orders/record/order-states.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { PasswordsService } from '../../src/staff/sign-in/passwords.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { DAY } from '../../src/platform/kernel/time.js';
import { folderWithMarkedBook } from '../support/cost-books.js';
import { newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { PASSWORD } from '../support/given.js';
import { keptWorld } from '../support/once/kept-world.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { templates } from '../support/templates.js';

/** A Thursday, late in the morning: call-backs have come due, others are still to come. */
export const NOW = new Date('2026-11-19T11:30:00Z');

/** Its catalogue is published that long before. */
const DAYS_BEFORE = 120;

/**
 * The service with the demo's week, and the people in it; both can sign in with `PASSWORD`. Only pages of the
 * catalogue may show the marked cost.
 */
export class World {
  private constructor(
    readonly service: Service,
    /** To whom every page is open. */
    readonly admin: StaffMember,
    readonly agent: StaffMember,
  ) {}

  static async begin(): Promise<World> {
    const { staffKey } = keptWorld;
    const file = await (keptWorld.file ??= World.keep());
    const database = await newDatabase('sqlite');
    await copyFile(file, database.sqliteFile);
    const clock = new FakeClock(NOW);
    return World.of(await startService('sqlite', { clock, database, config: { staffKey } }));
  }

  /** @returns a copy of the database, for all test files of this worker */
  private static async keep(): Promise<string> {
    const { service } = await World.fill();
    await service.close();
    const file = join(dirname(process.env[templates.sqlite]!), `world-${process.pid}.sqlite`);
    await copyFile(service.config.sqliteFile, file);
    return file;
  }

  /** @param about settings other than the defaults */
  static async fill(about: Partial<Config> = {}): Promise<World> {
    const clock = new FakeClock(new Date(NOW.getTime() - DAYS_BEFORE * DAY));
    const config = { staffKey: keptWorld.staffKey, ...about };
    const service = await startService('sqlite', { clock, config });
    const margins = await readFile('demo/catalogue/margins.csv', 'utf8');
    const marked = await folderWithMarkedBook('INT-1G-36', margins);
    await loadCatalogue(service.app, [...DEMO_CATALOGUE, marked]);
    clock.advance({ days: DAYS_BEFORE });
    await fillDemoWeek(service.app, NOW);
    const world = await World.of(service);
    for (const { id } of [world.admin, world.agent]) {
      await service.get(PasswordsService).set(id, PASSWORD, 'command', operator);
    }
    return world;
  }

  private static async of(service: Service): Promise<World> {
    const people = service.get(StaffService);
    const admin = await people.find('manager@demo.example');
    const agent = await people.find('sam@demo.example');
    return new World(service, admin, agent);
  }

  /** The oldest order in this state, of this owner if one is named. One for a firm price needs no other to be won. */
  async order(state: OrderState, owner?: StaffMember, basis?: PriceBasis): Promise<Order> {
    const order = await this.service.get(Transactions).read((tx) =>
      tx.findOne(Order, {
        where: {
          kind: 'order',
          state,
          ...(owner && { ownerId: owner.id }),
          ...(basis && { basis }),
        },
        order: { receivedAt: 'ASC' },
      }),
    );
    if (!order) throw new Error(`No order is ${state}.`);
    return order;
  }

  /** As by the button of the pages. @returns the address of the order */
  async takeNext(member: StaffMember): Promise<string> {
    const browser = await StaffBrowser.signedIn(this.service, {}, member);
    const { headers } = await browser.post('/staff/take-next');
    return headers.location!;
  }

  orderBy(reference: string): Promise<Order> {
    return this.service.get(Transactions).read((tx) => tx.findOneByOrFail(Order, { reference }));
  }
}

/** The paths of all pages, as the controllers name them. */
export function pageRoutes(service: Service): string[] {
  return service
    .get(RoutesService)
    .routes.filter(({ method, path }) => method === 'GET' && /^\/staff(?:\/|$)/.test(path))
    .map(({ path }) => path);
}

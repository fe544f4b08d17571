import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { AuditService } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { type Stop, stops } from '../chromium/tour.js';
import { NOW, World } from '../chromium/world.js';
import { HOSTILE, hostileElements } from '../support/admin-pages.js';
import { openDataSource } from '../support/databases.js';
import { type HostileValues, plantEverywhere } from '../support/hostile-rows.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** Of random values, after those that are listed here. */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 1);

const texts = [
  ...['2026-02-30T25:61:61Z', '9999-99-99T99:99Z', '2026-11-19T11:30:00.000Z', '2026-11-19'],
  ...['-1', '1e999', 'NaN', '9'.repeat(40), 'null', 'undefined', '', ' ', '%', '%E0%A4%A'],
  ...[HOSTILE, '<!--', ']]>', '&#0;', '{{7*7}}', '__proto__', 'constructor', '\u202eevil\u2066'],
  ...[
    '\ud800',
    '\udfff!',
    '\ufeff',
    '\u0001\u001b[31m',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿'.repeat(9),
    'a'.repeat(2_000),
    'f'.repeat(64),
  ],
];

/** Of UTF-16 units, so that most surrogates are alone. No text contains U+0000, because PostgreSQL cannot store it. */
const anyUnits = fc
  .array(fc.integer({ min: 1, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

const allInstants = [
  ...[NOW.getTime(), 0, -1, 8.64e15, -8.64e15, 8.64e15 + 1, -8.64e15 - 1, Number.MAX_SAFE_INTEGER],
  ...[Date.parse('0000-01-01'), Date.parse('+010000-01-01')],
];
const allIntegers = [0, -1, 1, 2 ** 31 - 1, -(2 ** 31)];

const values: fc.Arbitrary<HostileValues> = fc.record({
  texts: fc.array(fc.oneof(fc.constantFrom(...texts), anyUnits), { minLength: 1, maxLength: 9 }),
  instants: fc.shuffledSubarray(allInstants, { minLength: 1 }),
  integers: fc.shuffledSubarray(allIntegers, { minLength: 1 }),
});

describe('with hostile values in all stored fields', () => {
  let world: World;
  let source: DataSource;
  /** Looked up before the values are planted: afterwards no name is as it was. */
  let places: readonly { readonly stop: Stop; readonly path: string }[];

  beforeAll(async () => {
    world = await World.begin();
    source = await openDataSource(world.service.config);
    const resolved = [];
    for (const stop of stops) {
      if (stop.stage === undefined) resolved.push({ stop, path: await stop.path(world) });
    }
    places = resolved;
  });

  const faults = async (planted: HostileValues): Promise<unknown[]> => {
    await plantEverywhere(source, planted);
    const inside = await StaffBrowser.signedIn(world.service, {}, world.admin);
    const outside = new StaffBrowser(world.service);
    const found = [];
    for (const { stop, path } of places) {
      const reply = await (stop.outside ? outside : inside).get(path);
      const elements = hostileElements(reply);
      // A charge whose due date is in the past takes no answer: its form says so.
      const isConflict = reply.status === 409 && path.includes('/charges/');
      const isExpected = isConflict || reply.status === (stop.status ?? 200);
      if (!isExpected || elements.length > 0) {
        found.push([path, reply.status, elements]);
      }
    }
    return found;
  };

  it('every page for staff is served, and shows no elements that a text contains', async () => {
    const all: HostileValues = { texts, instants: allInstants, integers: allIntegers };
    const plain = { ...all, instants: [NOW.getTime()], integers: [1] };
    await fc.assert(
      fc.asyncProperty(values, async (planted) => {
        expect(await faults(planted)).toEqual([]);
      }),
      { numRuns: RUNS, examples: [[all], [plain]], endOnFailure: true },
    );
  });

  it('the values are on the pages', async () => {
    await plantEverywhere(source, { texts: [HOSTILE], instants: [8.64e15], integers: [0] });
    const inside = await StaffBrowser.signedIn(world.service, {}, world.admin);
    for (const path of ['/staff/queue?view=open', '/staff/clients', '/staff/audit']) {
      const { text } = await inside.get(path);
      expect([path, text.includes('&lt;script>'), text.includes('unknown time')]).toEqual([
        path,
        true,
        true,
      ]);
    }
  });

  it('the audit trail is served for a note and a reason that look like a date', async () => {
    const details = { note: '2026-02-30T25:61:61Z', reason: '9999-99-99T99:99Z' };
    const { service } = world;
    await service.get(Transactions).run((tx) =>
      service.get(AuditService).record(tx, {
        subject: ['order', 'any'],
        action: 'replaced',
        actor: { type: 'client', id: null, name: 'Reseller' },
        details,
      }),
    );
    const inside = await StaffBrowser.signedIn(service, {}, world.admin);
    const page = await inside.get('/staff/audit?id=any');
    expect(page.status).toBe(200);
    for (const text of Object.values(details)) expect(page.text).toContain(text);
  });
});

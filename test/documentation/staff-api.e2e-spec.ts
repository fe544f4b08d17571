import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ClientEnquiry } from '../../src/orders/record/enquiries.dto.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import { reportTabs } from '../../src/reports/tables/tabs.js';
import { propertyOf, tablesOf } from '../../src/reports/drawing/report-table.js';
import { priced, until } from '../support/catalogue.js';
import { later, newFolder } from '../support/closing.js';
import { FakeClock } from '../support/fake-clock.js';
import { stepsOf } from '../support/documented.js';
import { catalogueFiles } from '../support/given.js';
import { inherited } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const steps = stepsOf(readFileSync('docs/staff-api.md', 'utf8'));
const nameOf = (script: string) => /^\/\/ (\S+):/.exec(script)![1]!;
/** Of another run, with the same words. */
const likeness = (output: string) =>
  output.replaceAll(/(?<=ORD-|ENQ-)\w{6}/g, '…').replaceAll(/\d{4}-\d\d-\d\d/g, 'a day');

const shown = (program: string) =>
  likeness(steps.find(({ script }) => nameOf(script) === program)!.answer!.text);

describe('the programs for the staff API', () => {
  let service: Service;
  let folder: string;
  let base: string;

  beforeAll(async () => {
    // The programs name days after the real one.
    service = await startService('sqlite', { clock: new FakeClock(new Date()) });
    await service.given.catalogue();
    folder = await newFolder();
    for (const { script } of steps) writeFileSync(join(folder, nameOf(script)), script);
    base = `http://127.0.0.1:${service.http.port}`;
  });

  const start = async (role: 'agent' | 'admin', ...command: string[]): Promise<ChildProcess> => {
    const token = await service.given.token({ staff: await service.given.staff({ role }) });
    const child = spawn(process.execPath, command, {
      cwd: folder,
      env: { ...inherited, BASE: base, STAFF: token },
    });
    later(async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    });
    return child;
  };
  const ended = async (child: ChildProcess): Promise<[number, string, string]> => {
    const [out, err, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'exit') as Promise<[number]>,
    ]);
    return [code, likeness(out), err];
  };

  it('work an enquiry until its order is won, and its service is live', async () => {
    const { http, given } = service;
    const token = await given.token();
    const crm = await start('agent', 'crm.mjs');
    const program = ended(crm);
    const own = '/product-availability';
    const wanted = { bandwidth: 2 };
    const asked = await http.post<{ enquiryId: string }>(
      `${own}/enquiry`,
      { postcode: 'EC2A 2BS', wanted },
      { token },
    );
    const enquiry = `${own}/enquiry/${asked.body.enquiryId}`;
    const offers = async () => (await http.get<ClientEnquiry>(enquiry, { token })).body.offers;
    await until(async () => (await offers()).length === 1);
    const { offerId } = (await offers())[0]!;
    const accepted = await http.post<{ orderId: string }>(
      `${enquiry}/acceptance`,
      { offerId },
      { token },
    );
    const order = `${own}/order/${accepted.body.orderId}`;
    const read = async () => (await http.get<ClientOrder>(order, { token })).body;
    await until(async () => (await read()).charges.length === 1);
    const [charge] = (await read()).charges;
    const answer = { accept: true, by: 'Ada Lovelace' };
    await http.post(`${order}/charge/${charge!.chargeId}/answer`, answer, { token });
    expect(await program).toEqual([0, shown('crm.mjs'), '']);

    const teams = await start('agent', 'delivered.mjs');
    const today = service.clock.now().toISOString().slice(0, 10);
    const lines = ['CRM-4711,surveyed', 'CRM-4711,live', 'CRM-4712,live'];
    teams.stdin!.end(lines.map((line) => `${line},${today}\n`).join(''));
    expect(await ended(teams)).toEqual([0, shown('delivered.mjs'), '']);
    expect((await read()).delivery).toMatchObject({ liveOn: today });
  }, 60_000);

  it('import a catalogue once, and fail where a person has to decide', async () => {
    const write = (price: string) => {
      for (const [name, file] of Object.entries(catalogueFiles(priced(price)))) {
        writeFileSync(join(folder, `${name}.csv`), file);
      }
    };
    const run = async () => ended(await start('admin', 'nightly.mjs', folder));
    write('560.00');
    expect(await run()).toEqual([0, shown('nightly.mjs'), '']);
    expect(await run()).toEqual([0, 'Version 2: no-change\n', '']);
    write('56000.00');
    expect(await run()).toMatchObject([
      1,
      expect.stringMatching(/price.*\nVersion 3: draft\n$/),
      '',
    ]);
    write('free');
    expect(await run()).toMatchObject([1, expect.stringMatching(/^prices\.csv:\d+: /), '']);
  }, 60_000);

  it('print the tables of a report', async () => {
    const [code, out, err] = await ended(await start('admin', 'dashboard.mjs', 'overview'));
    expect([code, err]).toEqual([0, '']);
    for (const { name } of tablesOf(reportTabs.overview)) {
      expect(out).toContain(`${propertyOf(name)}: `);
    }
  }, 60_000);
});

import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryImportService } from '../../src/orders/delivery/delivery-import.service.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { postAsStaff } from '../support/moves.js';

onOneEngine('the form of a delivery', (engine) => {
  let service: Service;
  let sam: StaffBrowser;
  let reference: string;
  let path: string;
  let delivery: () => Promise<NonNullable<ClientOrder['delivery']>>;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    sam = await StaffBrowser.signedIn(service, { name: 'Sam' });
  });

  beforeEach(async () => {
    const staff = await service.given.token({ staff: sam.member });
    const { orderId, token } = await service.given.order();
    for (const [version, move] of ['claim', 'win'].entries()) {
      const moved = `/follow-up/orders/${orderId}/${move}`;
      expect((await postAsStaff(service.http, moved, { version }, { token: staff })).status).toBe(
        200,
      );
    }
    const read = async () =>
      (await service.http.get<ClientOrder>(`/product-availability/order/${orderId}`, { token }))
        .body;
    reference = (await read()).orderReference;
    path = `/staff/orders/${reference}/delivery`;
    delivery = async () => (await read()).delivery!;
  });

  /** What a browser would send for the form that is shown. */
  const fieldsIn = (text: string): Record<string, string> => {
    const [, form = ''] = /<form[^>]*action="[^"]*\/delivery"[^>]*>(.*?)<\/form>/s.exec(text)!;
    const inputs = [...form.matchAll(/<input [^>]*>/g)].map(([input]) =>
      ['name', 'value'].map(
        (at) => new RegExp(` ${at}="([^"]*)"`).exec(input)?.[1]?.replaceAll('&quot;', '"') ?? '',
      ),
    );
    const selects = [...form.matchAll(/<select [^>]*name="([^"]*)".*?<\/select>/gs)].map(
      ([select, name]) => [name!, /<option value="([^"]*)" selected/.exec(select)?.[1] ?? ''],
    );
    return Object.fromEntries([...inputs, ...selects]) as Record<string, string>;
  };
  const imported = (columns: string, row: string) =>
    service.get(DeliveryImportService).run(`order,${columns}\n${reference},${row}\n`, operator);
  const doneOn = async (code: string) =>
    (await delivery()).milestones.find((one) => one.code === code)!.doneOn;

  it('opens the days of the next milestone alone, and those that were changed in a refused form', async () => {
    await imported('milestone,done', 'surveyed,2026-03-02');
    const openIn = (text: string) => {
      const rows = /class="milestones">.*?<tbody>(.*?)<\/tbody>/s.exec(text)![1]!.split('<tr>');
      return rows.flatMap((row) =>
        /<details(?! open)/.test(row)
          ? []
          : [...row.matchAll(/name="(\w+)-doneOn"/g)].map(([, code]) => code),
      );
    };
    const shown = (await sam.get(path)).text;
    expect(openIn(shown)).toEqual(['wayleave']);
    expect(shown.indexOf('name="serviceId"')).toBeLessThan(shown.indexOf('class="milestones"'));
    const wrong = await sam.post(path, { ...fieldsIn(shown), 'tested-doneOn': 'soon' });
    expect([wrong.status, openIn(wrong.text)]).toEqual([422, ['wayleave', 'tested']]);
  });

  it('saves what was changed, and removes what was emptied', async () => {
    await imported('milestone,planned,service_id', 'built,2026-03-20,CCT-1');
    const shown = fieldsIn((await sam.get(path)).text);
    const typed = { 'built-plannedFor': '', 'surveyed-doneOn': '2026-03-02', party: 'client' };
    expect((await sam.post(path, { ...shown, ...typed, what: 'Access.' })).status).toBe(303);
    const { milestones, waitingFor, serviceId } = await delivery();
    expect(milestones.slice(0, 3)).toEqual([
      { code: 'surveyed', plannedFor: null, doneOn: '2026-03-02' },
      { code: 'wayleave', plannedFor: null, doneOn: null },
      { code: 'built', plannedFor: null, doneOn: null },
    ]);
    expect([waitingFor, serviceId]).toMatchObject([{ party: 'client', what: 'Access.' }, 'CCT-1']);
  });

  it('puts nothing back that an import has recorded since it was opened', async () => {
    const opened = fieldsIn((await sam.get(path)).text);
    await imported(
      'milestone,done,committed,waiting_for,service_id',
      'surveyed,2026-03-02,2026-03-27,operator: Clear the duct.,CCT-7',
    );
    const typed = { ...opened, 'wayleave-doneOn': '2026-03-02' };
    const refused = await sam.post(path, typed);
    expect(refused.status).toBe(409);
    const again = fieldsIn(refused.text);
    expect(again).toMatchObject({
      ...{ 'surveyed-doneOn': '2026-03-02', 'wayleave-doneOn': '2026-03-02' },
      ...{ committedDate: '2026-03-27', serviceId: 'CCT-7' },
    });
    expect((await sam.post(path, again)).status).toBe(303);
    expect([await doneOn('surveyed'), await doneOn('wayleave')]).toEqual([
      ...['2026-03-02', '2026-03-02'],
    ]);
    expect(await delivery()).toMatchObject({
      ...{ committedDate: '2026-03-27', serviceId: 'CCT-7' },
      waitingFor: { party: 'operator', what: 'Clear the duct.' },
    });
  });

  it('notices what was recorded between two attempts to save', async () => {
    const opened = fieldsIn((await sam.get(path)).text);
    await imported('milestone,done', 'surveyed,2026-03-02');
    const wrong = await sam.post(path, { ...opened, 'wayleave-doneOn': 'soon' });
    expect(wrong.status).toBe(422);
    const corrected = { ...fieldsIn(wrong.text), 'wayleave-doneOn': '2026-03-02' };
    const refused = await sam.post(path, corrected);
    expect(refused.status).toBe(409);
    expect((await sam.post(path, fieldsIn(refused.text))).status).toBe(303);
    expect([await doneOn('surveyed'), await doneOn('wayleave')]).toEqual([
      ...['2026-03-02', '2026-03-02'],
    ]);
  });
});

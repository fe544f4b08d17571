import { beforeAll, expect, it } from '@jest/globals';
import type { ClientEnquiry } from '../../src/orders/record/enquiries.dto.js';
import type { ClientOrder, OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { QuoteView } from '../../src/quotes/record/quotes.dto.js';
import { smallCatalogue } from '../support/given.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const UPRN = '100023336956';
const SURVEY = {
  code: 'surveyRequired',
  text: 'A survey of the site is needed before the service can be built.',
};
const GATE = { code: 'businessPark', text: 'Ask at the gate.' };

interface Listed<T> {
  readonly items: readonly T[];
}

onOneEngine('constraints of the place of a request', (engine) => {
  let service: Service;
  let token: string;
  let staff: string;
  let orderId: string;
  let premisesId: string;
  let enquiryId: string;
  let quote: QuoteView;

  const get = async <T>(path: string, by = token) =>
    (await service.http.get<T>(path, { token: by })).body;
  const post = async <T>(path: string, body: object, by = token) =>
    (await service.http.post<T>(`/product-availability/${path}`, body, { token: by })).body;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({
      ...smallCatalogue,
      zones: ['ONNET,,,,,,surveyRequired'],
      premises: [`${UPRN},EC2A 2BS,Quay House,ONNET,,,businessPark`],
      constraintTexts: ['businessPark,Ask at the gate.'],
    });
    token = await service.given.token();
    staff = await service.given.token({ staff: await service.given.staff({ role: 'manager' }) });
    const asked = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    orderId = (await post<OrderAcknowledgement>('order', asked)).orderId;
    premisesId = (await post<OrderAcknowledgement>('order', { ...asked, uprn: UPRN })).orderId;
    const wanted = { postcode: 'EC2A 2BS', wanted: { bandwidth: 10 } };
    enquiryId = (await post<{ enquiryId: string }>('enquiry', wanted)).enquiryId;
    const { quoteId } = await post<QuoteView>('quote', {
      wanted: { bandwidth: 1, term: 12 },
      sites: [
        { postcode: 'EC2A 2BS' },
        { postcode: 'SW1A 1AA' },
        { postcode: 'EC2A 2BS', uprn: UPRN },
        { postcode: 'N1 1AA' },
        { postcode: 'AB10 1AB' },
      ],
    });
    quote = await get<QuoteView>(`/product-availability/quote/${quoteId}`);
    // From now on, places are plain: requests and quotes keep what they had.
    await service.given.catalogue();
  });

  it('are kept by orders and enquiries', async () => {
    const order = await get<ClientOrder>(`/product-availability/order/${orderId}`);
    const premises = await get<ClientOrder>(`/product-availability/order/${premisesId}`);
    const enquiry = await get<ClientEnquiry>(`/product-availability/enquiry/${enquiryId}`);
    expect([order, premises, enquiry].map(({ constraints }) => constraints)).toEqual([
      [SURVEY],
      [GATE],
      [SURVEY],
    ]);
    const later = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    const { orderId: plain } = await post<OrderAcknowledgement>('order', later);
    const { constraints } = await get<ClientOrder>(`/product-availability/order/${plain}`);
    expect(constraints).toEqual([]);
  });

  it('filter the lists of clients and of staff', async () => {
    const orders = `/product-availability/order?constraint=`;
    const idsOf = async (path: string) =>
      (await get<Listed<ClientOrder>>(path)).items.map((one) => one.orderId);
    expect(await idsOf(`${orders}surveyRequired`)).toEqual([orderId]);
    expect(await idsOf(`${orders}businessPark`)).toEqual([premisesId]);
    expect(await idsOf(`${orders}wayleaveOwner`)).toEqual([]);
    const enquiries = '/product-availability/enquiry?constraint=surveyRequired';
    expect((await get<Listed<ClientEnquiry>>(enquiries)).items).toMatchObject([{ enquiryId }]);
    const queue = await get<Listed<FollowUpOrder>>(
      '/follow-up/orders?view=all&constraint=surveyRequired',
      staff,
    );
    expect(queue.items.map((one) => [one.orderId, one.constraints]).sort()).toEqual(
      [orderId, enquiryId].map((id) => [id, [SURVEY]]).sort(),
    );
    const { http } = service;
    for (const [path, by] of [
      [`${orders}asbestos`, token],
      ['/follow-up/orders?constraint=asbestos', staff],
    ] as const) {
      const { status, text } = await http.get(path, { token: by });
      expect([status, text]).toEqual([400, expect.stringContaining('Must be one of surveyReq')]);
    }
  });

  it('are in the lines of a quote, counted in its totals, and ordered with them', async () => {
    expect(quote.lines.map(({ constraints }) => constraints)).toEqual([
      [SURVEY],
      [SURVEY],
      [GATE],
      [],
      [],
    ]);
    expect(quote.totals.map(({ lines, constraints }) => [lines, constraints])).toEqual([
      [
        4,
        [
          { ...SURVEY, lines: 2 },
          { ...GATE, lines: 1 },
        ],
      ],
    ]);
    const path = `/product-availability/quote/${quote.quoteId}`;
    expect((await get<QuoteView>(path)).totals).toEqual(quote.totals);
    const csv = await service.http.get(path, { token, headers: { Accept: 'text/csv' } });
    const [head = '', ...rows] = csv.text.trimEnd().split('\n');
    const at = head.split(',').indexOf('constraints');
    expect(rows.map((row) => row.split(',')[at])).toEqual([
      ...['surveyRequired', 'surveyRequired', 'businessPark', '', ''],
    ]);
    const placed = await post<{ orders: { orderId: string }[] }>(
      `quote/${quote.quoteId}/acceptance`,
      { lines: ['1', '3'] },
    );
    const found = await Promise.all(
      placed.orders.map((one) => get<ClientOrder>(`/product-availability/order/${one.orderId}`)),
    );
    expect(found.map(({ constraints }) => constraints)).toEqual([[SURVEY], [GATE]]);
  });

  it('are on the pages of the order, the queue and its export', async () => {
    const browser = await StaffBrowser.signedIn(service, { role: 'manager' });
    const found = await get<Listed<FollowUpOrder>>(
      `/follow-up/orders?view=all&q=${orderId}`,
      staff,
    );
    const { text } = await browser.get(`/staff/orders/${found.items[0]!.reference}`);
    expect(text).toContain(`${SURVEY.code}: ${SURVEY.text}`);
    const list = '/staff/queue?view=all&constraint=businessPark';
    const { items } = await get<Listed<FollowUpOrder>>(
      '/follow-up/orders?view=all&constraint=businessPark',
      staff,
    );
    const page = (await browser.get(list)).text;
    for (const { reference } of items) expect(page).toContain(reference);
    expect(page).toContain('Ask at the gate.');
    expect(page).toContain('<option value="businessPark" selected>Business park</option>');
    expect(page).toContain('aria-label="Remove filter: Constraint"');
    const csv = (await browser.get('/staff/queue.csv?view=all&constraint=businessPark')).text;
    const [head = '', row = ''] = csv.split('\n');
    expect(row.split(',')[head.split(',').indexOf('constraints')]).toBe('businessPark');
  });
});

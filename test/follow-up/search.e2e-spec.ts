import { beforeAll, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import { OrderWord } from '../../src/orders/record/order-word.entity.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

onBothEngines('the search for orders', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, {
      config: {
        rateLimits: false,
        salesInbox: [{ name: '', address: 'sales@operator.example' }],
      },
    });
    await service.given.catalogue();
    token = await service.given.token({ staff: await service.given.staff() });
  });

  const listed = async (query: string) =>
    (await service.http.get<FollowUpPage>(`/follow-up/orders?${query}`, { token })).body;
  const addNote = (id: string) =>
    postAsStaff<FollowUpOrder>(
      service.http,
      `/follow-up/orders/${id}/note`,
      { note: 'Hollyhock is the word.' },
      { token },
    );
  const ids = (page: FollowUpPage) => page.items.map(({ orderId }) => orderId);

  beforeAll(async () => {
    await fresh();
    const client = await service.given.client({ name: 'Larkrise' });
    const token = await service.given.token({ client });
    await service.given.order({ token, contact: { name: 'Edwin' } });
  });

  it.each([
    ['the reference', async () => (await fresh()).reference],
    [
      'the reference without ORD, in lower case',
      async () => (await fresh()).reference.slice(4).toLowerCase(),
    ],
    ['the order id', async () => (await fresh()).orderId],
    ['a postcode in another spelling', () => Promise.resolve('sw1a1aa')],
    ['a sector', () => Promise.resolve('SW1A 1')],
    ['an outward code', () => Promise.resolve('sw1a')],
    ['the contact', () => Promise.resolve('lagerlof')],
    ['the beginning of a name', () => Promise.resolve('lager')],
    ['an e-mail address', () => Promise.resolve('selma@nils.example')],
    ['a telephone number in national form', () => Promise.resolve('020 7946 0777')],
    ['the last six digits of a telephone number', () => Promise.resolve('46 0777')],
    ["the name of the client's contact", () => Promise.resolve('owen prosser')],
    ["the beginning of the name of the client's contact", () => Promise.resolve('pross')],
    ["the e-mail address of the client's contact", () => Promise.resolve('Owen@nilsson.example')],
    ["the telephone number of the client's contact", () => Promise.resolve('01632 960896')],
    ["the last six digits of the client's number", () => Promise.resolve('960896')],
    ['its client and its postcode', () => Promise.resolve('Nilsson sw1a 1aa')],
    ['its postcode and its client', () => Promise.resolve('sw1a1aa nilsson')],
    ["the client's contact and a sector", () => Promise.resolve('prosser SW1A 1')],
    ['its contact and its postcode', () => Promise.resolve('selma SW1A 1AA')],
    ['its client and its contact', () => Promise.resolve('nilsson selma')],
    ["its client, the client's phone and a note", () => Promise.resolve('nils 01632 960896 goose')],
    ['its client, its contact and its district', () => Promise.resolve('nilsson selma SW1')],
    ['the last four characters of its reference', async () => (await fresh()).reference.slice(6)],
    ['the last five characters of its reference', async () => (await fresh()).reference.slice(5)],
    ["the client's own reference", () => Promise.resolve('PO-77/a')],
    ["the client's own reference without marks", () => Promise.resolve('po77a')],
    ['words of the notes', () => Promise.resolve('goose basement')],
    ['words of a note of the staff', () => Promise.resolve('hollyhock')],
    ['the client', () => Promise.resolve('nilsson')],
  ])('finds an order by %s', async (_what, text) => {
    const page = await listed(`view=all&q=${encodeURIComponent(await text())}`);
    expect(ids(page)).toContain((await fresh()).orderId);
  });

  it('finds an order by a reference that reads as a postcode, and those at that postcode', async () => {
    const there = await service.given.order({ postcode: 'N1C 4AG' });
    const named = await service.given.order();
    await service
      .get(Transactions)
      .run((tx) => tx.update(Order, { id: named.orderId }, { reference: 'ORD-N1C4AG' }));
    for (const text of ['n1c4ag', 'N1C%204AG', 'ordN1C4AG']) {
      expect(ids(await listed(`view=all&q=${text}`))).toContain(named.orderId);
    }
    expect(ids(await listed('view=all&q=n1c4ag'))).toContain(there.orderId);
  });

  it.each([
    ['its client at another postcode', 'nilsson SW1A 2AA'],
    ['another client at its postcode', 'larkrise SW1A 1AA'],
    ['its client with the contact of another', 'nilsson edwin'],
    ['five digits of a phone number', '60896'],
    ['another number with the same beginning', '01632 960897'],
  ])('does not find an order by %s', async (_what, text) => {
    const { orderId } = await fresh();
    const page = await listed(`view=all&q=${encodeURIComponent(text)}`);
    expect(ids(page)).not.toContain(orderId);
  });

  it('finds the orders of a client by the contact that was saved last, and not by the one before', async () => {
    const client = await service.given.client({ contactName: 'Wilhelmina Oude' });
    const token = await service.given.token({ client });
    const { orderId } = await service.given.order({ token, contact: { name: 'Bo' } });
    const found = async (q: string) => ids(await listed(`view=all&q=${q}`));
    expect(await found('wilhelmina')).toEqual([orderId]);
    // The top-level domain of every client's address here.
    expect(await found('example')).not.toContain(orderId);
    await service
      .get(ClientsService)
      .edit(client.id, { contactName: 'Zacharias Nieuw', contactPhone: '01632 112233' }, operator);
    expect([await found('wilhelmina'), await found('zacharias'), await found('112233')]).toEqual([
      [],
      [orderId],
      [orderId],
    ]);
  });

  it('merges the orders of several clients and those that name them, page by page', async () => {
    const tokens: string[] = [];
    for (const name of ['Quillon North', 'Quillon South', 'Another']) {
      const client = await service.given.client({ name });
      tokens.push(await service.given.token({ client }));
    }
    const placed: string[] = [];
    for (const n of [0, 1, 2, 2, 1, 0, 0]) {
      // The notes of an order of one of the clients name them, too.
      const notes = placed.length % 2 === 0 ? 'Ask Quillon.' : '';
      if (n === 2 && notes === '') continue;
      placed.push((await service.given.order({ token: tokens[n]!, notes })).orderId);
    }
    const paged = async (sort: string) => {
      const found: string[] = [];
      let cursor = '';
      do {
        const page = await listed(`view=all&q=quillon&sort=${sort}&limit=2${cursor}`);
        expect(page).toMatchObject({ total: placed.length, totalIsExact: true });
        found.push(...ids(page));
        cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
      } while (cursor !== '');
      return found;
    };
    expect(await paged('received')).toEqual(placed);
    expect(await paged('-received')).toEqual(placed.toReversed());
  });

  it('finds the enquiries of callers who are no client by the name of their list, not by the operator', async () => {
    const direct = await service.get(ClientsService).direct(operator);
    const { orderId } = await service.given.order();
    await service
      .get(Transactions)
      .run((tx) => tx.update(Order, { id: orderId }, { clientId: direct.id }));
    const found = async (q: string) => ids(await listed(`view=all&q=${encodeURIComponent(q)}`));
    expect(await found('direct enquiries')).toEqual([orderId]);
    for (const text of ['sales@operator.example', 'sales team', 'operator']) {
      expect(await found(text)).toEqual([]);
    }
  });

  it('does not say that these are all where the words of 1,100 orders were cut', async () => {
    const words = Array.from({ length: 1_100 }, () => newId()).flatMap((orderId) =>
      ['quincunx', 'quincunxes'].map((word) => ({ word, orderId })),
    );
    await service.get(Transactions).run((tx) => addRows(tx, OrderWord, words));
    expect((await listed('view=all&q=quinc')).totalIsExact).toBe(false);
    expect((await listed('view=all&q=quincunxes')).totalIsExact).toBe(true);
    const path = '/follow-up/orders.csv?view=all&q=quinc';
    expect((await service.http.get(path, { token })).status).toBe(422);
  });

  it('finds a won order by its reference in the order system', async () => {
    const { orderId } = await service.given.order();
    const act = (path: string, body: object) =>
      postAsStaff(service.http, `/follow-up/orders/${orderId}/${path}`, body, { token });
    await act('claim', { version: 0 });
    const won = await act('win', { version: 1, externalReference: 'Zephyr/20-117' });
    expect(won.status).toBe(200);
    for (const q of ['Zephyr%2F20-117', 'zephyr20117', '117%20zephyr']) {
      expect([q, ids(await listed(`view=all&q=${q}`))]).toEqual([q, [orderId]]);
    }
  });

  it('looks for several words among the orders that have the rarest, and says if there are more', async () => {
    const { orderId } = await service.given.order();
    const note = { note: 'Gadrooned fluting, ogee.' };
    await postAsStaff(service.http, `/follow-up/orders/${orderId}/note`, note, { token });
    for (const [word, length] of [
      ['gadrooned', 20_000],
      ['fluting', 20_000],
      ['ogee', 2_500],
    ] as const) {
      const words = Array.from({ length }, () => ({ word, orderId: newId() }));
      await service.get(Transactions).run((tx) => addRows(tx, OrderWord, words));
    }
    const found = async (q: string) => {
      const page = await listed(`view=all&q=${encodeURIComponent(q)}`);
      return [ids(page), page.totalIsExact];
    };
    expect(await found('gadrooned ogee')).toEqual([[orderId], true]);
    expect(await found('gadrooned fluting')).toEqual([[], false]);
  });

  it('finds nothing for a word that no order has', async () => {
    expect(await listed('view=all&q=xyzzy')).toMatchObject({ items: [], total: 0 });
  });

  let made: Promise<FollowUpOrder> | undefined;
  function fresh(): Promise<FollowUpOrder> {
    made ??= (async () => {
      const client = await service.given.client({
        name: 'Nilsson Networks',
        contactName: 'Owen Prosser',
        contactEmail: 'owen@nilsson.example',
        contactPhone: '+44 1632 960896',
      });
      const { orderId } = await service.given.order({
        token: await service.given.token({ client }),
        postcode: 'SW1A 1AA',
        reference: 'PO-77/a',
        contact: {
          name: 'Selma Lagerlöf',
          email: 'selma@nils.example',
          phone: '+44 20 7946 0777',
        },
        notes: 'Feed the goose in the basement.',
      });
      return (await addNote(orderId)).body;
    })();
    return made;
  }
});

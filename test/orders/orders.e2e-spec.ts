import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import type { FieldError } from '../../src/platform/problems/problem.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { ClientOrder, OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { newDatabase } from '../support/databases.js';
import { smallCatalogue, emptyTerms } from '../support/given.js';
import { expectProblem, outcome, problem } from '../support/problems.js';
import { acknowledged, path, wanted } from '../support/placing.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('an order request', (engine) => {
  let service: Service;
  let client: ApiClient;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { ordersPerMinute: 10_000 } });
    await service.given.catalogue();
    client = await service.given.client();
    token = await service.given.token({ client });
  });

  const order = (body: unknown, key?: string, as = token) =>
    service.http.post<OrderAcknowledgement>(path, body, {
      token: as,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
  const read = (id: string, as = token) =>
    service.http.get<ClientOrder>(`${path}/${id}`, { token: as });
  const check = async (postcode = 'EC2A2BS', as = token) =>
    (
      await service.http.get<AvailabilityResult>(`/product-availability/postcode/${postcode}`, {
        token: as,
      })
    ).body;
  const auditOf = (id: string) =>
    service
      .get(Transactions)
      .read((tx) => tx.findBy(AuditEntry, { subjectType: 'order', subjectId: id }));

  describe('that is accepted', () => {
    it('is acknowledged with a message and an id only', async () => {
      const reply = await order(wanted);
      expect(outcome(reply)).toEqual(acknowledged);
      expect(Object.keys(reply.body)).toEqual(['message', 'orderId']);
      expect(reply.headers).toMatchObject({
        location: `${path}/${reply.body.orderId}`,
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      expect(reply.headers).not.toHaveProperty('idempotent-replayed');
    });

    it('can be read at its location, with the terms as quoted', async () => {
      const { headers, body } = await order({
        ...wanted,
        postcode: ' ec2a2bs',
        reference: 'PO-4711',
        contact: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
        notes: 'Weekdays only.\nRing twice.',
      });
      const at = service.clock.now().toISOString();
      const again = await service.http.get<ClientOrder>(headers.location!, { token });
      expect(outcome(again)).toEqual([
        200,
        {
          orderId: body.orderId,
          orderReference: /ORD-\w{6}/.exec(body.message)?.[0],
          reference: 'PO-4711',
          state: 'acknowledged',
          stateChanges: [{ state: 'acknowledged', at }],
          postcode: 'EC2A 2BS',
          uprn: null,
          product: {
            productCode: 'INT-1G-12',
            name: '1G Internet on a 10G bearer',
            bandwidthProvisioned: 1,
            bandwidthCapacity: 10,
            term: 12,
            service: null,
            needsInterconnect: false,
            price: 550,
            currency: 'GBP',
            leadTimeDays: 84,
            ...emptyTerms,
          },
          acceptExtraUpTo: null,
          charges: [],
          delivery: null,
          expedite: false,
          checkId: null,
          enquiryId: null,
          offerId: null,
          quoteId: null,
          lineId: null,
          details: null,
          nearest: null,
          constraints: [],
          preferredDays: null,
          receivedAt: at,
          updatedAt: at,
        },
      ]);
      expect((await read(body.orderId.toUpperCase())).body).toEqual(again.body);
    });

    it('gets the price of the client’s own list', async () => {
      const partner = await service.given.token({
        client: await service.given.client({ priceList: 'partner' }),
      });
      const { body } = await order(wanted, undefined, partner);
      expect((await read(body.orderId, partner)).body.product.price).toBe(499.5);
    });

    it('is recorded in the audit trail with actor and time', async () => {
      const { body } = await order(wanted);
      expect(await auditOf(body.orderId)).toEqual([
        expect.objectContaining({
          action: 'received',
          actorType: 'client',
          actorId: client.id,
          actorName: client.name,
          at: service.clock.now(),
        }),
      ]);
    });

    it('may have the longest texts and null for optional fields, and survives a restart', async () => {
      const database = await newDatabase(engine);
      const before = await startService(engine, { database });
      await before.given.catalogue();
      const own = await before.given.token();
      const { status, body } = await before.http.post<OrderAcknowledgement>(
        path,
        {
          ...wanted,
          checkId: null,
          reference: 'é'.repeat(64),
          // The search word is cut inside a surrogate pair.
          contact: { name: `a${'𠀀'.repeat(119)}`, email: null, phone: '1'.repeat(40) },
          notes: '😀'.repeat(2_000),
        },
        { token: own },
      );
      expect(status).toBe(201);
      await before.close();
      const after = await startService(engine, { database });
      const found = await after.http.get<ClientOrder>(`${path}/${body.orderId}`, { token: own });
      expect([found.status, found.body.reference]).toEqual([200, 'é'.repeat(64)]);
    });

    it('is 404 for another client, like an order that does not exist', async () => {
      const { body } = await order(wanted);
      const stranger = await service.given.token();
      const theirs = await read(body.orderId, stranger);
      expectProblem(theirs, 'not-found');
      for (const id of ['019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90', 'ORD-7F3K9Q', '%00', "1'--"])
        expectProblem(await read(id), 'not-found');
      expect((await read('ORD-7F3K9Q')).body).toMatchObject({
        detail: 'There is nothing with this id. Send the UUID from an earlier response.',
      });
      const nobodys = await read('019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90', stranger);
      expect({ ...nobodys.body, instance: '' }).toEqual({ ...theirs.body, instance: '' });
    });
  });

  describe('that is not valid', () => {
    const faultsOf = async (body: unknown) => {
      const reply = await order(body);
      expectProblem(reply, 'validation-error');
      const { errors } = reply.body as unknown as { errors: FieldError[] };
      for (const { detail } of errors) expect(detail).toMatch(/^[A-Z].*[.?]$/);
      return errors.map(({ pointer, code }) => `${pointer} ${code}`).sort();
    };

    it.each<[string, object, string[]]>([
      ['nothing', {}, ['/postcode required', '/productCode required']],
      [
        'null',
        { postcode: null, productCode: null },
        ['/postcode required', '/productCode required'],
      ],
      [
        'numbers',
        { postcode: 1, productCode: 1.5 },
        ['/postcode wrong-type', '/productCode wrong-type'],
      ],
      [
        'booleans',
        { postcode: true, productCode: false },
        ['/postcode wrong-type', '/productCode wrong-type'],
      ],
      [
        'arrays',
        { postcode: ['EC2A 2BS'], productCode: ['INT-1G-12'] },
        ['/postcode wrong-type', '/productCode wrong-type'],
      ],
      [
        'objects',
        { postcode: { a: 1 }, productCode: {} },
        ['/postcode wrong-type', '/productCode wrong-type'],
      ],
      [
        'empty texts',
        { postcode: '', productCode: '' },
        ['/postcode invalid-postcode', '/productCode too-short'],
      ],
      ['no postcode', { ...wanted, postcode: 'EC2A' }, ['/postcode invalid-postcode']],
      ['Girobank', { ...wanted, postcode: 'GIR 0AA' }, ['/postcode invalid-postcode']],
      [
        'long texts',
        {
          postcode: `EC2A${' '.repeat(40)}2BS`,
          productCode: 'A'.repeat(33),
          checkId: 'A'.repeat(21),
          reference: 'A'.repeat(65),
          notes: 'A'.repeat(2_001),
          contact: {
            name: 'A'.repeat(121),
            email: `a@${'b'.repeat(260)}.uk`,
            phone: '1'.repeat(41),
          },
        },
        [
          '/checkId too-long',
          '/contact/email invalid-email',
          '/contact/name too-long',
          '/contact/phone too-long',
          '/notes too-long',
          '/postcode too-long',
          '/productCode too-long',
          '/reference too-long',
        ],
      ],
      [
        'wrong types in optional fields',
        {
          ...wanted,
          checkId: 1,
          reference: [],
          notes: {},
          contact: { name: 1, email: [], phone: {} },
        },
        [
          '/checkId wrong-type',
          '/contact/email wrong-type',
          '/contact/name wrong-type',
          '/contact/phone wrong-type',
          '/notes wrong-type',
          '/reference wrong-type',
        ],
      ],
      ['a contact that is a text', { ...wanted, contact: 'Ada' }, ['/contact wrong-type']],
      [
        'a contact that is a list',
        { ...wanted, contact: [{ name: 'Ada' }] },
        ['/contact wrong-type'],
      ],
      [
        'not an email address',
        { ...wanted, contact: { email: 'ada' } },
        ['/contact/email invalid-email'],
      ],
      [
        'an encoded word in the email address',
        { ...wanted, contact: { email: '=?utf-8?B?YWRh?=@example.com' } },
        ['/contact/email invalid-email'],
      ],
      [
        'line breaks and control characters in the contact',
        { ...wanted, contact: { name: 'Ada\r\nLovelace', phone: '020\u0007 7946' } },
        ['/contact/name not-allowed', '/contact/phone not-allowed'],
      ],
      [
        'line breaks and control characters in the reference and the product',
        { ...wanted, reference: 'PO\n7', productCode: 'INT\u0007' },
        ['/productCode not-allowed', '/reference not-allowed'],
      ],
      [
        'a line separator in the contact',
        { ...wanted, contact: { name: 'Ada\u2028Lovelace' } },
        ['/contact/name not-allowed'],
      ],
      [
        'unknown properties',
        { ...wanted, 'a/b~c': 1, quantity: 2, contact: { fax: '1' } },
        [
          '/a~1b~0c unknown-property',
          '/contact/fax unknown-property',
          '/quantity unknown-property',
        ],
      ],
      [
        'every fault at once',
        { postcode: 'X', quantity: 2, contact: { email: 'ada' }, notes: 7 },
        [
          '/contact/email invalid-email',
          '/notes wrong-type',
          '/postcode invalid-postcode',
          '/productCode required',
          '/quantity unknown-property',
        ],
      ],
    ])('is refused with each fault: %s', async (_, body, faults) => {
      expect(await faultsOf(body)).toEqual(faults);
    });

    it.each([[[]], [[wanted]], [null], ['text'], [7], [true]])(
      'must be an object: %j',
      async (body) => {
        expect(await faultsOf(body)).toEqual([' wrong-type']);
      },
    );

    it('must have a body', async () => {
      expectProblem(await service.http.send({ method: 'POST', path, token }), 'validation-error');
      const headers = { 'Content-Type': 'application/json' };
      const empty = await service.http.send({ method: 'POST', path, token, headers, body: '' });
      expectProblem(empty, 'validation-error');
    });
  });

  describe('that cannot be fulfilled', () => {
    it('is refused for an unknown product', async () => {
      expect(outcome(await order({ ...wanted, productCode: 'INT-2G-12' }))).toEqual(
        problem('unknown-product'),
      );
    });

    it.each([
      ['EC2A 2BS', 'INT-100G-60', ['INT-100M-12', 'INT-1G-12', 'INT-1G-36']],
      ['N1 0AA', 'INT-1G-36', ['INT-1G-12']],
      ['EC2A 2BR', 'INT-1G-12', []],
      ['AB10 1AB', 'INT-1G-12', []],
    ])('is refused at %s for %s, with what is sold there', async (postcode, productCode, codes) => {
      expect(outcome(await order({ postcode, productCode }))).toEqual(
        problem('product-not-available', { availableProducts: codes }),
      );
    });

    it.each(['lower case', 'another spelling'])(
      'is refused for a product code in %s',
      async (how) => {
        const productCode = how === 'lower case' ? 'int-1g-12' : ' INT-1G-12';
        expect(outcome(await order({ ...wanted, productCode }))).toEqual(
          problem('unknown-product'),
        );
      },
    );
  });

  describe('that cites a check', () => {
    const dearer = {
      prices: smallCatalogue.prices.map((row) =>
        row.replace(
          'INT-1G-12,ONNET,standard,550.00,GBP,84',
          'INT-1G-12,ONNET,standard,600.00,GBP,90',
        ),
      ),
    };
    const dearerTerms = { price: 600, currency: 'GBP', leadTimeDays: 90, ...emptyTerms };
    const terms = { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms };

    it('stores the check id, in upper or lower case', async () => {
      const { id } = await check();
      const { status, body } = await order({ ...wanted, checkId: id.toLowerCase() });
      expect([status, (await read(body.orderId)).body.checkId]).toEqual([201, id]);
    });

    it('is refused if the check is unknown, another client’s, or for another postcode', async () => {
      const foreign = await check('EC2A2BS', await service.given.token());
      const elsewhere = await check('SW1A1AA');
      for (const checkId of ['ZZZZZZZZZZ', '', 'no check', foreign.id, elsewhere.id])
        expect([checkId, ...outcome(await order({ ...wanted, checkId }))]).toEqual([
          checkId,
          ...problem('unknown-check'),
        ]);
    });

    it('gets the terms of the check during the price hold, and a 409 with the change afterwards', async () => {
      const { id } = await check();
      await service.given.catalogue(dearer);
      service.clock.advance({ minutes: 15 });
      const held = await order({ ...wanted, checkId: id });
      expect(outcome(held)).toEqual(acknowledged);
      expect((await read(held.body.orderId)).body.product).toMatchObject(terms);
      service.clock.advance({ milliseconds: 1 });
      expect(outcome(await order({ ...wanted, checkId: id }))).toEqual(
        problem('offer-changed', { quoted: terms, current: dearerTerms }),
      );
      const uncited = await order(wanted);
      expect((await read(uncited.body.orderId)).body.product).toMatchObject(dearerTerms);
      await service.given.catalogue();
    });

    it('is refused with the quoted terms if the product is no longer sold', async () => {
      const { id } = await check();
      service.clock.advance({ minutes: 16 });
      await service.given.catalogue({ prices: ['INT-1G-36,ONNET,standard,450.00,GBP,84'] });
      expect(outcome(await order({ ...wanted, checkId: id }))).toEqual(
        problem('offer-changed', { quoted: terms, current: null }),
      );
      await service.given.catalogue();
    });

    it('is accepted long after the check if the terms are still the same', async () => {
      const { id } = await check();
      service.clock.advance({ days: 20 });
      expect(outcome(await order({ ...wanted, checkId: id }))).toEqual(acknowledged);
    });

    it('is refused for a product that the check did not offer', async () => {
      const { id } = await check();
      const answers = ['INT-2G-12', 'INT-100G-60'].map(async (productCode) => {
        const { body } = await order({ ...wanted, productCode, checkId: id });
        return (body as unknown as { code: string }).code;
      });
      expect(await Promise.all(answers)).toEqual(['unknown-product', 'product-not-available']);
    });
  });
});

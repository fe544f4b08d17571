import { beforeAll, expect, it } from '@jest/globals';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

const at = (query: string, postcode = 'EC2A%202BS') =>
  `/product-availability/postcode/${postcode}${query}`;

onBothEntrances('a check with filters', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue({
      products: [
        'ETH-1G-12,1G Ethernet,1,1,12,,,Ethernet',
        'INT-100M-12,100M Internet,0.1,1,12,,,Internet',
        'INT-1G-12,1G Internet,1,10,12,,,Internet',
        'INT-1G-36,1G Internet,1,10,36,,,Internet',
      ],
      prices: [
        'ETH-1G-12,ONNET,standard,600.00,GBP,84',
        'INT-100M-12,ONNET,standard,208.00,GBP,10',
        'INT-1G-12,ONNET,standard,550.00,GBP,84,,subjectToSurvey',
        'INT-1G-36,ONNET,standard,450.00,GBP,84',
      ],
    });
    token = await service.given.token();
  });

  const check = async (query: string, by = token) =>
    (await service.http.get<AvailabilityResult>(at(query), { token: by })).body;
  const codes = ({ availableProducts }: AvailabilityResult) =>
    availableProducts.map(({ productCode }) => productCode);

  it.each([
    ['', ['INT-100M-12', 'INT-1G-12', 'ETH-1G-12', 'INT-1G-36']],
    ['?bandwidth=1', ['INT-1G-12', 'ETH-1G-12', 'INT-1G-36']],
    ['?bandwidth=0.1', ['INT-100M-12', 'INT-1G-12', 'ETH-1G-12', 'INT-1G-36']],
    ['?bandwidth=0.101&term=12', ['INT-1G-12', 'ETH-1G-12']],
    ['?term=36', ['INT-1G-36']],
    ['?service=ethernet', ['ETH-1G-12']],
    ['?basis=subjectToSurvey', ['INT-1G-12']],
    ['?basis=firm&service=Internet&term=12&bandwidth=0.1', ['INT-100M-12']],
  ])('shows the products that match all of them: %j', async (query, expected) => {
    const answer = await check(query);
    expect([codes(answer), answer.reasons]).toEqual([expected, []]);
    const count = expected.length === 1 ? '1 product is' : `${expected.length} products are`;
    expect(answer.message).toContain(`${count} available at EC2A 2BS`);
  });

  it('says where the place has products, but none that matches', async () => {
    expect(await check('?bandwidth=10')).toMatchObject({
      message:
        'None of the products at EC2A 2BS is as asked for. Check it without filters to see them all.',
      availableProducts: [],
      reasons: [
        { code: 'noMatch', detail: 'Products are sold here, but none matches what was asked for.' },
      ],
    });
    const { body } = await service.http.get<AvailabilityResult>(at('?bandwidth=10', 'EC2A%202BR'), {
      token,
    });
    expect(body.reasons.map(({ code }) => code)).toEqual(['excluded']);
    expect(body.message).toContain('No products are available at EC2A 2BR');
  });

  it('shows them to old clients in their form', async () => {
    const client = await service.given.client({ compatibility: '0.2' });
    const old = await service.given.token({ client });
    expect(codes(await check('?bandwidth=0.1&term=12', old))).toEqual(['INT-1G-12', 'ETH-1G-12']);
  });

  it('is the check of the place: its product may be ordered, and it is read again without filters', async () => {
    const { id } = await check('?term=36');
    const again = await service.http.get<AvailabilityResult>(`/product-availability/check/${id}`, {
      token,
    });
    expect(codes(again.body)).toHaveLength(4);
    const order = await service.http.post(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-100M-12', checkId: id },
      { token },
    );
    expect(order.status).toBe(201);
  });

  it.each(['?bandwidth=0', '?bandwidth=fast', '?term=0', '?term=1.5', '?basis=sure', '?speed=1'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await service.http.get<{ code: string }>(at(query), { token });
      expect([status, body.code]).toEqual([400, 'validation-error']);
    },
  );
});

import { beforeAll, expect, it } from '@jest/globals';
import { Integrator } from '../support/integrator.js';
import { expectProblem } from '../support/problems.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

// The operator shows no client a price by distance.
onOneEngine('The sandbox', (engine) => {
  let service: Service;
  let it_: Integrator;

  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    it_ = await Integrator.at(service, { nearNet: 'off' });
  });

  it.each([
    ['ZZ99 1BE', { distanceMetres: 50, band: 100 }, [950, 24, 'subjectToSurvey']],
    ['ZZ99 1BF', { distanceMetres: 350, band: 500 }, [4_500, 55, 'subjectToSurvey']],
    ['ZZ99 1BG', { distanceMetres: 1_300, band: 2_000 }, [null, 100, 'indicative']],
  ] as const)('prices %s by its distance, and keeps it in the order', async (...expected) => {
    const [postcode, nearest, terms] = expected;
    const { body } = await it_.check(postcode);
    const [first] = body.availableProducts;
    expect(body.nearest).toEqual(nearest);
    expect([first!.setupPrice, first!.leadTimeDays, first!.basis]).toEqual(terms);
    const placed = await it_.order({ postcode });
    expect((await it_.read(placed.body.orderId)).body).toMatchObject({ nearest });
  });

  it('answers a token that may read the nearest postcode: the network has points instead', async () => {
    const scopes = ['availability:read', 'availability:nearest'] as const;
    const token = await service.given.token({ client: it_.client, kind: 'test', scopes });
    const path = '/product-availability/postcode/ZZ99%201BF';
    const { status, body } = await service.http.get<AvailabilityResult>(path, { token });
    const nearest = { distanceMetres: 350, band: 500, postcode: null };
    expect([status, body.nearest]).toEqual([200, nearest]);
    await service.flushChecks();
    const again = await service.http.get(`/product-availability/check/${body.id}`, { token });
    expect(again.body).toEqual(body);
  });

  it('has no price at ZZ99 1BH, which is beyond the bands', async () => {
    const { body } = await it_.check('ZZ99 1BH');
    expect(body).toMatchObject({ availableProducts: [], nearest: null });
    expect(body.reasons.map(({ code }) => code)).toEqual(['notCovered', 'beyondBuild']);
    expectProblem(await it_.order({ postcode: 'ZZ99 1BH' }), 'product-not-available');
  });
});

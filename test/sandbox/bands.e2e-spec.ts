import { beforeAll, expect, it } from '@jest/globals';
import { Integrator } from '../support/integrator.js';
import { expectProblem } from '../support/problems.js';
import { onOneEngine, startService } from '../support/service.js';

// The operator shows no client a price by distance.
onOneEngine('The sandbox', (engine) => {
  let it_: Integrator;

  beforeAll(async () => {
    const service = await startService(engine);
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

  it('has no price at ZZ99 1BH, which is beyond the bands', async () => {
    const { body } = await it_.check('ZZ99 1BH');
    expect(body).toMatchObject({ availableProducts: [], nearest: null });
    expect(body.reasons.map(({ code }) => code)).toEqual(['notCovered', 'beyondBuild']);
    expectProblem(await it_.order({ postcode: 'ZZ99 1BH' }), 'product-not-available');
  });
});

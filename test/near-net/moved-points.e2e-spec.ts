import { expect, it } from '@jest/globals';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { routeMetres } from '../../src/near-net/network.js';
import { postcodeOf } from '../../src/platform/problems/postcode.errors.js';
import { importPositions } from '../support/positions.js';
import { onOneEngine, startService } from '../support/service.js';

onOneEngine('the points of network_points.csv', (engine) => {
  it('count from another place, the same for clients and staff', async () => {
    const service = await startService(engine);
    await importPositions(service);
    await service.given.catalogue({
      zones: ['ONNET,Lit,onNetWithoutBuild,,'],
      buildBands: ['*,2000,950,14,subjectToSurvey,*'],
      networkPoints: ['CH-1,533500,182000,ONNET'],
    });
    const client = await service.given.client({ nearNet: 'all' });
    const token = await service.given.token({ client });
    const staff = await service.given.staffToken('follow-up:read');
    const [shown, explained, straight]: (number | undefined)[][] = [[], [], []];
    for (const postcode of ['E1 6AN', 'E1 6AB', 'E1 6AD']) {
      const at = encodeURIComponent(postcode);
      const check = await service.http.get<AvailabilityResult>(
        `/product-availability/postcode/${at}`,
        { token },
      );
      shown!.push(check.body.nearest?.distanceMetres);
      const path = `/catalogue/explain/${at}`;
      const { body } = await service.http.get<ExplanationView>(path, { token: staff });
      explained!.push(body.near?.distanceMetres);
      expect(body.reason).toContain('counted from a place 150 to 225 m from it');
      const place = { packed: postcodeOf(postcode).packed, uprn: null };
      const [point] = service.get(CatalogueService).current.pointsAround(place, 1)!.points;
      straight!.push(routeMetres(point!.metres, 1.3));
    }
    expect(explained).toEqual(shown);
    expect(straight).not.toEqual(shown);
  });
});

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type {
  AvailabilityResult,
  AvailabilityResults,
} from '../../src/availability/availability.dto.js';
import type { CatalogueFault } from '../../src/catalogue/catalogue.dto.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { RegisterService } from '../../src/catalogue/versions/register.service.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import { HeldTermsService } from '../../src/quotes/held-terms.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import type { ClientWatch } from '../../src/watches/watches.dto.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { ClientNearNet } from '../../src/platform/kernel/client-options.js';
import { onBothEntrances } from '../support/entrances.js';
import type { CatalogueRows } from '../support/given.js';
import { upload } from '../support/catalogue-form.js';
import { FAR, importPositions } from '../support/positions.js';
import { quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** Bands that end at 50, 350 and 2,000 m of route: 38.5, 269.2 and 1,538.5 m as the crow flies. */
const bands: CatalogueRows = {
  zones: ['ONNET,Lit,onNetWithoutBuild,,', 'NEARNET,Near,,,'],
  buildBands: [
    '*,50,100.50,7,subjectToSurvey,*',
    '*,350,950,14,subjectToSurvey,INT-1G-*',
    '*,2000,,90,indicative,*',
  ],
};

async function tokenFor(service: Service, nearNet: ClientNearNet, more: object = {}) {
  const client = await service.given.client({ nearNet });
  return service.given.token({ client, ...more });
}

const checkAt = async ({ http }: Service, postcode: string, token: string) =>
  (
    await http.get<AvailabilityResult>(
      `/product-availability/postcode/${encodeURIComponent(postcode)}`,
      { token },
    )
  ).body;

const shown = ({ availableProducts, nearest, reasons }: AvailabilityResult) => ({
  nearest: nearest && `${nearest.distanceMetres} in ${nearest.band}`,
  products: availableProducts.map(
    ({ productCode, setupPrice, leadTimeDays, basis, network, extraChargesPossible }) =>
      [productCode, setupPrice, leadTimeDays, basis, network, extraChargesPossible].join(' '),
  ),
  reasons: reasons.map(({ code }) => code),
});

const priced: CatalogueRows = {
  ...bands,
  prices: [
    'INT-1G-12,ONNET,standard,550.00,GBP,84,250,firm',
    'INT-100M-12,ONNET,standard,208.00,GBP,10,0,indicative',
  ],
};

onBothEntrances('a place without coverage', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine);
    await importPositions(service);
    const premises = ['70,E1 6AF,Gatehouse,,533269,182000', '71,EC2A 2BS,Mill,,533269,182000'];
    await service.given.catalogue({ ...priced, premises });
    token = await tokenFor(service, 'all');
  });

  const near = (nearest: string, ...products: string[]) => ({ nearest, products, reasons: [] });
  const first = near(
    '50 in 50',
    'INT-100M-12 100.5 17 indicative onNetWithBuild true',
    'INT-1G-12 350.5 91 subjectToSurvey onNetWithBuild true',
  );
  const second = (metres: number) =>
    near(`${metres} in 350`, 'INT-1G-12 1200 98 subjectToSurvey onNetWithBuild true');
  const last = (metres: number) =>
    near(
      `${metres} in 2000`,
      'INT-100M-12  100 indicative onNetWithBuild true',
      'INT-1G-12  174 indicative onNetWithBuild true',
    );
  const beyond = { nearest: null, products: [], reasons: ['notCovered', 'beyondBuild'] };

  it.each([
    ['E1 6AN', first],
    ['E1 6AA', second(100)],
    ['E1 6AB', second(350)],
    ['E1 6AD', last(400)],
    ['E1 6AE', last(2_000)],
    ['E1 6AF', beyond],
    ['E1 6AG', beyond],
  ])('at %s has the products of its band', async (postcode, expected) => {
    expect(shown(await checkAt(service, postcode, token))).toEqual(expected);
  });

  it.each([...FAR, 'E1 6AH', 'E1 6AJ'])('without a position has no band: %s', async (postcode) => {
    const answer = shown(await checkAt(service, postcode, token));
    expect(answer).toEqual({ nearest: null, products: [], reasons: ['notCovered'] });
  });

  it('is priced from the position of premises, where the operator states it', async () => {
    const at = async (uprn: string, postcode: string) => {
      const query = `postcode=${encodeURIComponent(postcode)}`;
      const path = `/product-availability/premises/${uprn}?${query}`;
      return (await service.http.get<AvailabilityResult>(path, { token })).body;
    };
    const gatehouse = await at('70', 'E1 6AF');
    expect(shown(gatehouse)).toEqual(second(350));
    expect([gatehouse.granularity, gatehouse.premises?.name]).toEqual(['premises', 'Gatehouse']);
    expect(shown(await at('72', 'E1 6AF')).nearest).toBeNull();
    const order = (checkId: string) =>
      service.http.post<{ code: string }>(
        '/product-availability/order',
        { postcode: 'E1 6AF', uprn: '70', productCode: 'INT-1G-12', checkId },
        { token },
      );
    const { id } = await checkAt(service, 'E1 6AF', token);
    await service.flushChecks();
    expect((await order(id)).body.code).toBe('unknown-check');
    expect((await order(gatehouse.id)).status).toBe(201);
    // The postcode is covered, and so are they.
    const products = await Promise.all([at('71', 'EC2A 2BS'), checkAt(service, 'EC2A 2BS', token)]);
    expect(products[0].availableProducts).toEqual(products[1].availableProducts);
  });

  it('is answered alike in bulk, and when the check is read again', async () => {
    const one = await checkAt(service, 'E1 6AB', token);
    const { body } = await service.http.post<AvailabilityResults>(
      '/product-availability/postcodes',
      { postcodes: ['E1 6AB', 'EC2A 2BS'] },
      { token },
    );
    const [bulk, covered] = body.results as AvailabilityResult[];
    expect(shown(bulk!)).toEqual(shown(one));
    expect(covered!.nearest).toBeNull();
    await service.flushChecks();
    const again = await service.http.get(`/product-availability/check/${one.id}`, { token });
    expect(again.body).toEqual(one);
  });

  it('shows the nearest postcode only to a token with the scope', async () => {
    const scopes = ['availability:read', 'availability:nearest'] as const;
    const mapping = await tokenFor(service, 'all', { scopes });
    const { nearest } = await checkAt(service, 'E1 6AB', mapping);
    expect(nearest).toEqual({ distanceMetres: 350, band: 350, postcode: 'EC2A 2BS' });
    expect((await checkAt(service, 'E1 6AB', token)).nearest).not.toHaveProperty('postcode');
  });

  it('is as before for a client that does not see prices by distance', async () => {
    for (const nearNet of ['default', 'staff', 'off'] as const) {
      const other = await tokenFor(service, nearNet);
      const answer = shown(await checkAt(service, 'E1 6AB', other));
      expect(answer).toEqual({ nearest: null, products: [], reasons: ['notCovered'] });
    }
  });
});

onOneEngine('prices by distance', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine, { config: { pointOffset: 0 } });
    await importPositions(service);
    await service.given.catalogue(priced);
  });

  const place = (body: object, token: string) =>
    service.http.post<{ orderId: string; orderReference: string; code: string }>(
      '/product-availability/order',
      { postcode: 'E1 6AB', productCode: 'INT-1G-12', ...body },
      { token },
    );

  it('are ordered with distance and band, which the order keeps', async () => {
    const token = await tokenFor(service, 'all');
    const { body } = await place({}, token);
    const { body: order } = await service.http.get<ClientOrder>(
      `/product-availability/order/${body.orderId}`,
      { token },
    );
    expect(order).toMatchObject({
      nearest: { distanceMetres: 350, band: 350 },
      product: {
        setupPrice: 1_200,
        leadTimeDays: 98,
        basis: 'subjectToSurvey',
        network: 'onNetWithBuild',
      },
    });
    const staff = await service.given.staffToken();
    const { body: detail } = await service.http.get<{ order: FollowUpOrder; offerNow: object }>(
      `/follow-up/orders/${body.orderId}`,
      { token: staff },
    );
    expect(detail.order.nearest).toEqual({ distanceMetres: 350, band: 350 });
    expect(detail.offerNow).toMatchObject({ setupPrice: 1_200, differs: false });
  });

  it('are refused to a client that does not see them', async () => {
    const { status, body } = await place({}, await tokenFor(service, 'staff'));
    expect([status, body.code]).toEqual([422, 'product-not-available']);
  });

  it('hold while the price of a check holds, after the bands were removed', async () => {
    const token = await tokenFor(service, 'all');
    const { id } = await checkAt(service, 'E1 6AB', token);
    await service.given.catalogue({ ...priced, buildBands: [] });
    expect((await place({}, token)).status).toBe(422);
    const held = await place({ checkId: id }, token);
    expect(held.status).toBe(201);
    service.clock.advance({ minutes: 16 });
    const late = await place({ checkId: id, reference: 'late' }, token);
    expect([late.status, late.body.code]).toEqual([409, 'offer-changed']);
    await service.given.catalogue(priced);
  });

  it('start from the points of network_points.csv, where there are any', async () => {
    await service.given.catalogue({ ...priced, networkPoints: ['CH-1,533500,182000,ONNET'] });
    const scopes = ['availability:read', 'availability:nearest'] as const;
    const token = await tokenFor(service, 'all', { scopes });
    const { nearest } = await checkAt(service, 'E1 6AD', token);
    expect(nearest).toEqual({ distanceMetres: 300, band: 350, postcode: null });
    await service.given.catalogue(priced);
  });

  it('leave places with a row of coverage as they are, also excluded and planned ones', async () => {
    const token = await tokenFor(service, 'all');
    const covering = { ...priced, coverage: ['EC2A 2BS,ONNET', 'E1 6AN,-', 'E1 6AA,SOON'] };
    const soon = ['ONNET,Lit,onNetWithoutBuild,,', 'SOON,,onNetWithoutBuild,2099-01-01,'];
    await service.given.catalogue({ ...covering, zones: soon });
    const reasons = async (postcode: string) =>
      shown(await checkAt(service, postcode, token)).reasons;
    expect([await reasons('E1 6AN'), await reasons('E1 6AA')]).toEqual([['excluded'], ['planned']]);
    await service.given.catalogue(priced);
  });

  it.each([
    ['not sell yet', '2099-01-01,'],
    ['no longer sell', ',,2020-01-01'],
  ])('are not built from zones that do %s', async (_words, dates) => {
    const token = await tokenFor(service, 'all');
    await service.given.catalogue({
      ...priced,
      zones: ['ONNET,Lit,onNetWithoutBuild,,', `NEARNET,Near,onNetWithoutBuild,${dates}`],
      coverage: ['EC2A 2BS,ONNET', 'E1 6AB,NEARNET'],
      prices: [...priced.prices!, 'INT-1G-12,NEARNET,standard,1.00,GBP,84,250,firm'],
    });
    expect(shown(await checkAt(service, 'E1 6AD', token))).toMatchObject({
      nearest: '400 in 2000',
      reasons: [],
    });
    await service.given.catalogue(priced);
  });

  it('are not near in a quote, where they are excluded', async () => {
    const token = await tokenFor(service, 'all');
    await service.given.catalogue({ ...priced, coverage: ['EC2A 2BS,ONNET', 'E1 6AN,-'] });
    const sites = [{ postcode: 'E1 6AN' }, { postcode: 'E1 6AA' }];
    const client = quotesOf(service, token);
    const { lines } = await client.read(await client.made({ wanted: { bandwidth: 1 }, sites }));
    expect(lines.map(({ nearest, reasons }) => [nearest, reasons.map(({ code }) => code)])).toEqual(
      [
        [null, ['excluded']],
        [{ distanceMetres: 100, band: 350 }, []],
      ],
    );
  });

  it('serve a watch only if it asks for them, and its client sees them', async () => {
    const [token, blind] = [await tokenFor(service, 'all'), await tokenFor(service, 'staff')];
    const stateOf = async (postcode: string, body: object, of = token) => {
      const path = `/product-availability/watch/${encodeURIComponent(postcode)}`;
      const sent = { method: 'PUT', headers: { 'Content-Type': 'application/json' } };
      const { status, body: watch } = await service.http.send<ClientWatch>({
        ...{ ...sent, path, token: of },
        body: JSON.stringify(body),
      });
      return [status, watch.state, watch.includeBuild].join(' ');
    };
    // Another PUT would itself serve a place.
    const evaluated = async (postcode: string) => {
      await service.get(WatchEvaluationService).evaluate();
      const path = `/product-availability/watch/${encodeURIComponent(postcode)}`;
      return (await service.http.get<ClientWatch>(path, { token })).body.state;
    };
    expect(await stateOf('E1 6AN', {})).toBe('201 open false');
    expect(await stateOf('E1 6AN', { includeBuild: true }, blind)).toBe('201 open true');
    expect(await stateOf('E1 6AB', { includeBuild: true })).toBe('201 served true');
    expect(await stateOf('E1 6AG', { includeBuild: true })).toBe('201 open true');
    expect(await stateOf('E1 6AH', { includeBuild: true })).toBe('201 open true');
    const nearer = { ...priced, networkPoints: ['CH-1,536000,182000,ONNET'] };
    await service.given.catalogue(nearer);
    expect([await evaluated('E1 6AG'), await evaluated('E1 6AH')]).toEqual(['served', 'open']);
    await importPositions(service, ['E1 6AH,536010,182000']);
    expect([await evaluated('E1 6AH'), await evaluated('E1 6AN')]).toEqual(['served', 'open']);
    await importPositions(service);
    await service.given.catalogue(priced);
  });

  it('follow an import of other positions', async () => {
    const token = await tokenFor(service, 'all');
    await importPositions(service, ['E1 6AJ,533100,182000']);
    expect((await checkAt(service, 'E1 6AJ', token)).nearest).toEqual({
      distanceMetres: 150,
      band: 350,
    });
    await importPositions(service);
    expect((await checkAt(service, 'E1 6AJ', token)).nearest).toBeNull();
  });

  it('follow an import while someone compares versions', async () => {
    const token = await tokenFor(service, 'all');
    const [catalogue, register] = [service.get(CatalogueService), service.get(RegisterService)];
    const { version } = catalogue.current;
    await service.given.catalogue({ ...priced, zones: [...bands.zones!, 'LATER,Later,,,'] });
    const find = register.find.bind(register);
    const spy = jest.spyOn(register, 'find').mockImplementationOnce(async () => {
      await catalogue.complete(version);
      return find();
    });
    await importPositions(service, ['E1 6AJ,533100,182000']);
    spy.mockRestore();
    expect((await checkAt(service, 'E1 6AJ', token)).nearest).toMatchObject({ band: 350 });
    await importPositions(service);
  });

  it('count in the preview of a version', async () => {
    const token = await tokenFor(service, 'all');
    const sites = [{ postcode: 'E1 6AA' }];
    await quotesOf(service, token).made({ wanted: { bandwidth: 1 }, sites });
    const [path, body] = ['/product-availability/watch/E1%206AF', '{"includeBuild":true}'];
    const headers = { 'Content-Type': 'application/json' };
    await service.http.send({ method: 'PUT', path, token, headers, body });
    const staff = await service.given.staffToken('catalogue:write');
    const previewOf = async (rows: CatalogueRows) => {
      const { version } = (await upload<{ version: number }>(service.http, staff, rows)).body;
      const draft = await service.get(CatalogueService).complete(version);
      const { watches } = await service.get(WatchEvaluationService).preview(draft);
      const { gone } = await service.get(HeldTermsService).comparedWith(draft);
      const changed = async () =>
        (await service.get(VersionEffectService).effect(draft)).heldChanged;
      return { watches, gone, changed };
    };
    const before = await previewOf({ ...priced, zones: [...bands.zones!, 'MORE,More,,,'] });
    const nearer = await previewOf({ ...priced, networkPoints: ['CH-1,534500,182000,ONNET'] });
    expect(nearer.watches - before.watches).toBe(1);
    expect([before.gone, nearer.gone]).toEqual([0, 0]);
    const changed = [await nearer.changed()];
    // Only the last of them sees prices by distance.
    for (const nearNet of ['off', 'all'] as const) {
      const client = await service.given.client({ nearNet });
      await checkAt(service, 'E1 6AF', await service.given.token({ client }));
      await service.flushChecks();
      changed.push(await nearer.changed());
    }
    const [first = 0] = changed;
    expect(changed).toEqual([first, first, first + 1]);
  });

  it('are explained with the point, the metres, the factor and the band', async () => {
    const token = await service.given.staffToken('catalogue:write', 'follow-up:read');
    const explain = async (postcode: string, client = '') =>
      (
        await service.http.get<ExplanationView>(
          `/catalogue/explain/${encodeURIComponent(postcode)}${client}`,
          { token },
        )
      ).body;
    const { near, reason, products } = await explain('E1 6AB');
    expect(near).toEqual({
      point: 'EC2A 2BS',
      zone: 'ONNET',
      straightMetres: 269,
      factor: 1.3,
      distanceMetres: 350,
      band: 350,
    });
    expect(reason).toContain(
      '269 m away as the crow flies. Times 1.3, rounded up to 50 m, that is 350 m',
    );
    expect(products[0]).toMatchObject({ productCode: 'INT-1G-12', offered: true });
    expect((await explain('E1 6AH')).reason).toContain('We cannot measure the distance');
    expect((await explain('E1 6AG')).reason).toContain('Too far from our network');
    const { id } = await service.given.client({ nearNet: 'off' });
    const unseen = await explain('E1 6AB', `?client=${id}`);
    expect([unseen.near, unseen.products.filter(({ offered }) => offered)]).toEqual([null, []]);
    expect(unseen.reason).toBe('This postcode is outside our coverage.');
  });

  it('are drawn with the points that the longest band reaches', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const points = async (postcode: string) => {
      const { text } = await browser.get(`/staff/check?postcode=${encodeURIComponent(postcode)}`);
      return [...text.matchAll(/<li>(EC2A 2BS: [\d,]+ m)<\/li>/g)].map(([, point]) => point);
    };
    expect(await points('E1 6AE')).toEqual(['EC2A 2BS: 1,538 m']);
    expect(await points('E1 6AF')).toEqual([]);
  });
});

describe('a catalogue with build bands', () => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService('sqlite');
    token = await service.given.staffToken('catalogue:write', 'follow-up:read');
  });

  const send = (rows: CatalogueRows) =>
    upload<{ faults: CatalogueFault[] }>(service.http, token, { ...priced, ...rows });

  it('is refused while no postcode has a position, with the command to run', async () => {
    const { status, body } = await send({});
    expect([status, body.faults[0]]).toMatchObject([
      422,
      { file: 'build_bands.csv', suggestion: expect.stringContaining('postcodes import') },
    ]);
  });
});

import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import type { CatalogueFault, ImportView } from '../../src/catalogue/catalogue.dto.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import { changesIn, formOf, formType } from '../support/catalogue-form.js';
import { importRows } from '../support/positions.js';
import type { Reply } from '../support/http.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** On a line from west to east, 100 m apart; the last one is 2 km away. */
const register = [
  'E1 6AA,533000',
  'E1 6AB,533100',
  'E1 6AD,533200',
  'E1 6AE,533300',
  'E1 6AG,535000',
];

/** A strip of the line. */
function strip(label: string, zone: string, west: number, east: number, more: object = {}) {
  const [south, north] = [181_900, 182_100];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const geometry = { type: 'Polygon', coordinates: [ring] };
  return { type: 'Feature', properties: { label, zone, ...more }, geometry };
}

function mapOf(...features: object[]): string {
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::27700' } };
  return JSON.stringify({ type: 'FeatureCollection', crs, features });
}

onBothEngines('coverage from a map', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let token: string;
  let staff: string;
  let browser: StaffBrowser;

  beforeAll(async () => {
    service = await startService(engine);
    await importRows(
      service,
      register.map((line) => `${line},182000`),
    );
    token = await service.given.token();
    staff = await service.given.staffToken('catalogue:write', 'follow-up:read');
    browser = await StaffBrowser.signedIn(service, { name: 'Sam Okafor', role: 'admin' });
  });

  beforeEach(async () => {
    const premises = ['70,E1 6AG,Gatehouse,,533090,182000', '71,E1 6AG,Mill,-,533090,182000'];
    await service.given.catalogue({ premises, coverage: ['E1,NEARNET'] });
  });

  const importMap = <T = ImportView>(
    polygons: string,
    fields: Record<string, string> = {},
  ): Promise<Reply<T>> =>
    service.http.send({
      method: 'POST',
      path: '/catalogue/versions',
      token: staff,
      headers: formType,
      body: formOf({ polygons }, { base: 'live', ...fields }),
    });
  const publish = async (polygons: string) => {
    const { status, body } = await importMap(polygons, { then: 'activate', accept: 'test' });
    expect([status, body.outcome]).toEqual([201, 'active']);
    return body;
  };
  const zoneOf = async (postcode: string, query = '') => {
    const path = `/catalogue/explain/${postcode.replace(' ', '')}${query}`;
    const { body } = await service.http.get<ExplanationView>(path, { token: staff });
    return [body.zone, body.polygon];
  };

  it('covers the postcodes and listed premises in its polygons', async () => {
    const { diff, warnings } = await publish(
      mapOf(
        strip('West', 'ONNET', 532_990, 533_110),
        strip('Yard', '-', 533_190, 533_210, { priority: 1 }),
      ),
    );
    expect(
      changesIn({ diff }, 'postcodes').changes.map(({ subject, before, after }) => [
        subject,
        before,
        after,
      ]),
    ).toEqual([
      ['E1 6AA', 'NEARNET', 'ONNET'],
      ['E1 6AB', 'NEARNET', 'ONNET'],
      ['E1 6AD', 'NEARNET', ''],
    ]);
    expect(diff!.borderPostcodes).toBe(3);
    expect(warnings.map(({ rule }) => rule)).not.toContain('zone-without-coverage');
    const { body } = await service.http.get<AvailabilityResult>(
      '/product-availability/postcode/E16AB',
      { token },
    );
    expect(body.availableProducts.map(({ price }) => price)).toContain(550);
    const zones = await Promise.all(
      ['E1 6AA', 'E1 6AB', 'E1 6AD', 'E1 6AE', 'E1 6AG'].map((one) => zoneOf(one)),
    );
    expect(zones).toEqual([
      ['ONNET', 'West'],
      ['ONNET', 'West'],
      [null, 'Yard'],
      ['NEARNET', null],
      ['NEARNET', null],
    ]);
    expect([await zoneOf('E1 6AG', '?uprn=70'), await zoneOf('E1 6AG', '?uprn=71')]).toEqual([
      ['ONNET', 'West'],
      [null, null],
    ]);
  });

  rule('draws what changes in the preview, and lists it as CSV', async () => {
    await publish(mapOf(strip('West', 'ONNET', 532_990, 533_110)));
    const { body } = await importMap(mapOf(strip('West', 'ONNET', 533_050, 533_250)));
    const { text } = await browser.get(`/staff/catalogue/versions/${body.version}`);
    const words = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('<figure class="coverage-map">');
    expect(words).toContain('West ONNET 2 1 1 0.04 0.03 0.01 0');
    const csv = await browser.get(`/staff/catalogue/versions/${body.version}/map.csv`);
    expect(csv.text.trim().split(/\r?\n/)).toEqual([
      'postcode,change,before,after,border_of',
      'E1 6AA,moved,ONNET,NEARNET,',
      'E1 6AD,moved,NEARNET,ONNET,',
    ]);
    const other = await service.given.catalogue({ coverage: ['E1,NEARNET'] });
    expect((await browser.get(`/staff/catalogue/versions/${other.version}/map.csv`)).status).toBe(
      404,
    );
  });

  rule('comes back from a download as it was, and goes with an empty collection', async () => {
    const first = await publish(mapOf(strip('West', 'ONNET', 532_990, 533_110)));
    const path = `/staff/catalogue/versions/${first.version}/files/coverage.geojson`;
    const file = await browser.get(path);
    expect(file.headers['content-type']).toBe('application/geo+json');
    expect((await importMap(file.text)).body.outcome).toBe('no-change');
    await publish('{"type":"FeatureCollection","features":[]}');
    expect(await zoneOf('E1 6AA')).toEqual(['NEARNET', null]);
  });

  it('is explained as of an earlier instant, and restored', async () => {
    const first = await publish(mapOf(strip('Then', 'ONNET', 532_990, 533_110)));
    const then = service.clock.now().toISOString();
    service.clock.advance({ minutes: 1 });
    await publish(mapOf(strip('Now', 'NEARNET', 532_990, 533_110)));
    expect([await zoneOf('E1 6AA'), await zoneOf('E1 6AA', `?at=${then}`)]).toEqual([
      ['NEARNET', 'Now'],
      ['ONNET', 'Then'],
    ]);
    const restored = await service.http.post(
      `/catalogue/versions/${first.version}/activation`,
      { accept: 'test' },
      { token: staff },
    );
    expect(restored.status).toBe(200);
    expect(await zoneOf('E1 6AA')).toEqual(['ONNET', 'Then']);
  });

  rule('is stopped by a guard rail if it loses postcodes', async () => {
    await service.given.catalogue({ coverage: ['SW1A 1AA,ONNET'] });
    await publish(mapOf(strip('West', 'ONNET', 532_990, 533_310)));
    const { body } = await importMap(mapOf(strip('West', 'ONNET', 532_990, 533_110)), {
      then: 'activate',
    });
    expect([body.outcome, body.rails.map(({ rail }) => rail)]).toEqual([
      'draft',
      ['coverage-lost'],
    ]);
  });

  rule('is stopped by a guard rail if it loses listed premises, not if it gains them', async () => {
    // East of all postcodes, 50 m apart; their own postcode is in no polygon.
    const premises = [350, 400, 450].map((at, i) => `8${i},E1 6AG,Kiln ${i},,533${at},182000`);
    await service.given.catalogue({ premises, coverage: ['SW1A 1AA,ONNET'] });
    const upTo = (east: number) => mapOf(strip('West', 'ONNET', 532_990, east));
    await publish(upTo(533_410));
    const activate = { then: 'activate' };
    const gains = await importMap(upTo(533_460), activate);
    expect([gains.body.outcome, gains.body.rails]).toEqual(['active', []]);
    expect(changesIn(gains.body, 'premises').changes.map(({ change }) => change)).toEqual([
      'gained',
    ]);
    const { body } = await importMap(upTo(533_360), activate);
    expect([body.outcome, body.rails]).toEqual([
      'draft',
      [
        {
          rail: 'coverage-lost',
          detail: '2 of 3 listed premises (66.7 %) would be lost; the limit is 10 %.',
        },
      ],
    ]);
  });

  it('is compared on open orders and on checks whose price holds', async () => {
    await publish(mapOf(strip('West', 'ONNET', 532_990, 533_110)));
    const { body } = await importMap(mapOf(strip('West', 'ONNET', 533_095, 533_110)));
    const draft = await service.get(CatalogueService).complete(body.version!);
    const effect = () => service.get(VersionEffectService).effect(draft);
    const before = await effect();
    const paths = [
      'postcode/E16AA',
      'postcode/E16AB',
      'postcode/E16AE',
      'premises/70?postcode=E16AG',
    ];
    for (const path of paths) {
      const { status } = await service.http.get(`/product-availability/${path}`, { token });
      expect([path, status]).toEqual([path, 200]);
    }
    await service.given.order({ token, postcode: 'E1 6AA' });
    await service.flushChecks();
    const { orders, heldChanged } = await effect();
    // E1 6AA and the premises leave the polygon, E1 6AB stays in it, E1 6AE never was.
    expect(heldChanged - before.heldChanged).toBe(2);
    expect(orders.map(({ postcode }) => postcode)).toEqual(['E1 6AA']);
  });

  it('finds the places again when another file changes after a new register', async () => {
    await service.given.catalogue({ coverage: ['SW1A 1AA,ONNET'] });
    await publish(mapOf(strip('Before', 'ONNET', 540_000, 540_100)));
    await importRows(
      service,
      [...register, 'E1 6AH,540050'].map((line) => `${line},182000`),
    );
    expect(await zoneOf('E1 6AH')).toEqual([null, null]);
    await publish(mapOf(strip('After', 'ONNET', 540_000, 540_100)));
    expect(await zoneOf('E1 6AH')).toEqual(['ONNET', 'After']);
  });

  it('reaches API clients that keep a copy of coverage', async () => {
    await publish(mapOf(strip('Copied', 'ONNET', 532_990, 533_110)));
    const sync = await service.given.token({ scopes: ['coverage:read'] });
    const { text } = await service.http.get('/product-availability/coverage', { token: sync });
    const kept = ['E1 6AA', 'E1 6AB', 'E1 6AD'].filter((unit) => text.includes(unit));
    expect(kept).toEqual(['E1 6AA', 'E1 6AB']);
  });

  rule('is what prices by distance are counted from', async () => {
    await service.given.catalogue({
      coverage: ['SW1A 1AA,NEARNET'],
      zones: ['ONNET,Lit,onNetWithoutBuild,,', 'NEARNET,Near,,,'],
      buildBands: ['*,350,950,14,subjectToSurvey,*'],
    });
    const { diff } = await publish(mapOf(strip('Lit', 'ONNET', 532_990, 533_110)));
    // E1 6AD and E1 6AE are 100 and 200 m from E1 6AB.
    expect([diff!.byDistanceBefore, diff!.byDistanceAfter]).toEqual([0, 2]);
  });

  rule('names the feature with a fault, and imports nothing', async () => {
    const polygons = mapOf(strip('West', 'ONNET', 1, 2), strip('East', 'ONET', 533_190, 533_210));
    const { status, body } = await importMap<{ faults: CatalogueFault[] }>(polygons);
    expect([status, body.faults.map(({ file, column, value }) => [file, column, value])]).toEqual([
      422,
      [['coverage.geojson', 'feature 2', 'East']],
    ]);
  });
});

import { describe, expect, it, test } from '@jest/globals';
import { contentOf, explainAt, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';

const HERE = parsePostcode('EC2A 2BS') as Postcode;
const UK_PLACE = parsePostcode('EC1A 1BB') as Postcode;

const givenCatalogue = (...zones: string[]) => new Catalogue(1, contentOf(givenFiles({ zones })));

describe('a planned zone', () => {
  test.each([
    ['in winter', '2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['in summer', '2026-07-01', '2026-06-30T23:00:00.000Z'],
    ['on the day before summer time', '2026-03-28', '2026-03-28T00:00:00.000Z'],
    ['on the day on which summer time starts', '2026-03-29', '2026-03-29T00:00:00.000Z'],
    ['on the day after', '2026-03-30', '2026-03-29T23:00:00.000Z'],
    ['on the day on which summer time ends', '2026-10-25', '2026-10-24T23:00:00.000Z'],
    ['on the day after that', '2026-10-26', '2026-10-26T00:00:00.000Z'],
  ])('sells from midnight in London %s', (_, day, instant) => {
    const catalogue = givenCatalogue(`LONDON-ONNET,,,${day},`);
    const at = Date.parse(instant);
    const before = catalogue.offersAt(HERE, 'standard', at - 1);
    expect([before.json.text, JSON.parse(before.reasonsJson)]).toEqual([
      '[]',
      [{ code: 'planned', detail: expect.any(String), readyDate: day }],
    ]);
    const after = catalogue.offersAt(HERE, 'standard', at);
    expect([after.count, after.reasonsJson]).toEqual([1, '[]']);
    expect(catalogue.changeInstants).toEqual([at]);
  });

  it('leaves other zones as they are', () => {
    const catalogue = givenCatalogue('LONDON-ONNET,,,2026-12-01,', 'ELSEWHERE,,,2026-12-02,');
    expect(catalogue.offersAt(UK_PLACE, 'standard', 0).count).toBe(1);
    expect(catalogue.changeInstants).toHaveLength(1);
  });

  it('is explained until it sells', () => {
    const catalogue = givenCatalogue('LONDON-ONNET,,,2026-12-01,Duct works');
    const [before, after] = ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z'].map((at) =>
      explainAt(catalogue, HERE, 'standard', Date.parse(at)),
    );
    expect(before).toMatchObject({
      reason: 'Planned: orders can be placed from 1 December 2026.',
      zoneRow: { readyDate: '2026-12-01', note: 'Duct works' },
    });
    expect(before?.products[0]).toMatchObject({
      offered: false,
      reason: 'Its zone sells from 1 December 2026.',
    });
    expect([after?.reason, after?.products[0]?.offered]).toEqual([
      'The unit EC2A 2BS is in the zone LONDON-ONNET.',
      true,
    ]);
  });
});

describe('the network of a zone', () => {
  it('is part of each offer there, and null if it is not stated', () => {
    const catalogue = givenCatalogue('LONDON-ONNET,,offNetWithBuild,,');
    const [stated] = catalogue.offersAt(HERE, 'standard', 0).list;
    const [absent] = catalogue.offersAt(UK_PLACE, 'standard', 0).list;
    expect([stated?.network, absent?.network]).toEqual(['offNetWithBuild', null]);
  });
});

test.each([
  ['N1 9GU', 'notCovered'],
  ['E14 5AA', 'excluded'],
  ['EC2A 2BS', undefined],
  ['W1A 1AA', 'notPriced'],
])('at %s the reason is %s', (text, code) => {
  const coverage = ['EC2A 2BS,LONDON-ONNET', 'E14,-', 'W,NEW'];
  const catalogue = new Catalogue(1, contentOf(givenFiles({ coverage })));
  const offers = catalogue.offersAt(parsePostcode(text) as Postcode, 'standard', 0);
  expect(offers.reasons[0]?.code).toBe(code);
});

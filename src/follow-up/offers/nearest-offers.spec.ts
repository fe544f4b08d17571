import { describe, expect, it } from '@jest/globals';
import { Catalogue } from '../../catalogue/content/catalogue.js';
import { parsePostcode, Postcode } from '../../kernel/postcode.js';
import { contentOf } from '../../../test/support/catalogue-files.given.js';
import { catalogueFiles } from '../../../test/support/given.js';
import { parseSectors } from '../reports/sector-places.js';
import { closestOffer, nearestOffers } from './nearest-offers.js';

// Units of 100 m: N1 1 is 500 m west of N2 1, and N3 1 is 300 m east of it.
const places = parseSectors('N1 1:5000,1800,9\nN2 1:5005,1800,9\nN3 1:5008,1800,9 2:5100,1800,9');

function nearest(postcode: string, coverage: readonly string[]) {
  const prices = ['INT-1G-12,NEAR,,700,GBP,90', 'INT-1G-12,FAR,,900,GBP,90'];
  const catalogue = new Catalogue(1, contentOf(catalogueFiles({ prices, coverage })));
  const asked = parsePostcode(postcode) as Postcode;
  const answer = nearestOffers(catalogue, asked, 'standard', Date.UTC(2026, 2, 2), places);
  return answer && [answer.place, answer.metres, answer.zone];
}

describe('the nearest priced zone', () => {
  it.each([
    ['the postcode itself', ['N2 1AA,NEAR', 'N1 1,FAR'], ['N2 1AA', 0, 'NEAR']],
    ['the nearest sector of the area', ['N1 1,FAR', 'N3 1,NEAR'], ['N3 1', 300, 'NEAR']],
    ['its own sector', ['N2 1AB,NEAR', 'N3 1,FAR'], ['N2 1', 0, 'NEAR']],
    ['a sector with a priced postcode', ['N1 1AB,FAR'], ['N1 1', 500, 'FAR']],
    ['a sector in a covered district', ['N3,FAR'], ['N3 1', 300, 'FAR']],
    ['no zone without a price', ['N3 1,UNPRICED', 'N1 1,FAR'], ['N1 1', 500, 'FAR']],
    ['no excluded place', ['N3 1,-', 'N1 1,FAR'], ['N1 1', 500, 'FAR']],
    ['no other area', ['NW1 1,NEAR'], null],
  ])('is that of %s', (_, coverage, expected) => {
    expect(nearest('N2 1AA', coverage)).toEqual(expected);
  });

  it('is the next one in the order of postcodes where no position is known', () => {
    const coverage = ['BT1 1,FAR', 'BT7 1AA,NEAR', 'BT9 1,FAR'];
    expect(nearest('BT6 9AA', coverage)).toEqual(['BT7 1', null, 'NEAR']);
    expect(nearest('N9 9AA', ['N1 1,FAR', 'N3 1,NEAR'])).toEqual(['N3 1', null, 'NEAR']);
  });
});

describe('the closest offer', () => {
  const catalogue = new Catalogue(1, contentOf(catalogueFiles()));
  const postcode = parsePostcode('EC2A 2BS') as Postcode;
  const place = { packed: postcode.packed, uprn: null };
  const { list } = catalogue.offersAt(place, 'standard', Date.UTC(2026, 2, 2));

  it.each([
    [{ bandwidth: 0.05, term: null }, 'INT-100M-12'],
    [{ bandwidth: 0.2, term: 12 }, 'INT-1G-12'],
    [{ bandwidth: 0.2, term: 24 }, 'INT-1G-36'],
    [{ bandwidth: 0.2, term: 48 }, 'INT-1G-36'],
    [{ bandwidth: 10, term: null }, 'INT-1G-36'],
    [{ bandwidth: null, term: null }, 'INT-100M-12'],
  ])('for %j is %s', (wanted, code) => {
    expect(closestOffer(list, wanted)?.productCode).toBe(code);
  });

  it('does not exist where nothing is sold', () => {
    expect(closestOffer([], { bandwidth: 1, term: 12 })).toBeUndefined();
  });
});

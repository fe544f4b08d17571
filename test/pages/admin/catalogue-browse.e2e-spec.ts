import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cells, signedIn, told } from '../../support/admin-pages.js';
import { smallCatalogue } from '../../support/given.js';
import { type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

let service: Service;
let admin: StaffBrowser;

beforeEach(async () => {
  service = await startService('sqlite', { config: { rateLimits: false } });
  ({ admin } = await signedIn(service));
});
afterEach(() => service.close());

describe('catalogue versions', () => {
  it('show the prices of a zone and a price list by bandwidth and term', async () => {
    await service.given.catalogue({
      priceLists: ['gold,standard,-10,0.50'],
    });
    const prices = async (query: string) => {
      const reply = await admin.get(`/staff/catalogue/versions/1/prices?${query}`);
      return cells(reply).map(([, ...row]) => row.map((cell) => cell.replace(/ set-up.*$/, '')));
    };
    const plain = await prices('zone=ONNET&list=partner');
    expect(plain.flat().join(' ')).toContain('£499.50');
    expect(plain.flat().join(' ')).not.toContain('INT-1G-12');
    const words = async (list: string) =>
      (await prices(`zone=ONNET&list=${list}&origin=shown`)).flat().join(' ');
    expect(await words('gold')).toMatch(
      /£495\.00 .*INT-1G-12 standard 550\.00 − 10 %(?!, rounded)/,
    );
    expect(await words('partner')).toMatch(/£499\.50 .*INT-1G-12 price of partner/);
    expect(await words('partner')).toMatch(/£450\.00 .*INT-1G-36 price of standard/);
    const rule = async (list: string) =>
      (await admin.get(`/staff/catalogue/versions/1/prices?list=${list}`)).text;
    expect(await rule('gold')).toContain('gold is standard − 10 %, rounded to 0.50.');
    expect(await rule('partner')).toContain('Where a list has no price of its own');
    // What the version does not have counts as not asked for.
    expect(await prices('zone=MOON&list=moon&day=x')).toEqual(await prices(''));
  });

  it('show the prices of each day on which a zone changes', async () => {
    await service.given.catalogue({
      prices: [...smallCatalogue.prices, 'INT-1G-12,ONNET,standard,611.00,GBP,84,,,,2027-04-01,'],
    });
    const prices = async (query: string) =>
      (await admin.get(`/staff/catalogue/versions/1/prices?zone=ONNET&${query}`)).text;
    const before = await prices('day=start');
    expect(before).toContain('until 31 Mar 2027, then £611.00');
    expect(before).toContain('<strong>£550.00</strong>');
    const after = await prices('day=2027-04-01');
    expect(after).toContain('<strong>£611.00</strong>');
    expect(after).not.toContain('until 31 Mar');
  });

  it('are browsed by place, which names the row that applies', async () => {
    const units = Array.from({ length: 150 }, (_, i) => {
      const letters = 'ABDEFGHJLNPQRSTUWXYZ';
      return `N1 1${letters[Math.floor(i / 20)]}${letters[i % 20]},ONNET`;
    });
    await service.given.catalogue({ coverage: [...smallCatalogue.coverage, ...units] });
    const coverage = (query: string) => admin.get(`/staff/catalogue/versions/1/coverage?${query}`);
    const excluded = await coverage('place=ec2a2br');
    expect(told(excluded)[1]).toBe('EC2A 2BR is excluded by the row of the postcode EC2A 2BR.');
    expect(cells(excluded).slice(0, 5)).toEqual([
      ['EC2A 2BR', 'postcode', 'excluded', 'applies'],
      ['EC2A 2', 'sector', 'no row', ''],
      ['EC2A', 'subdistrict', 'ONNET', ''],
      ['EC2', 'district', 'no row', ''],
      ['EC', 'area', 'no row', ''],
    ]);
    expect(cells(await coverage('place=EC')).slice(1)).toEqual([
      ['EC2A', 'subdistrict', 'ONNET'],
      ['EC2A 2BR', 'postcode', 'excluded'],
    ]);
    const first = await coverage('place=N1');
    expect([cells(first).length, first.text.includes('1 to 100 of 151')]).toEqual([
      2 + 1 + 99,
      true,
    ]);
    const last = await coverage('place=N1&page=2');
    expect(cells(last).at(-1)).toEqual(['N1 1JN', 'postcode', 'ONNET']);
    const wrong = await coverage('place=nowhere');
    expect([wrong.status, cells(wrong)]).toEqual([422, []]);
  });

  it('list their premises', async () => {
    await service.given.catalogue({
      premises: ['100023336956,EC2A 2BS,Tower,NEARNET', '7,EC2A 2BS,,-'],
    });
    const premises = async (query: string) =>
      cells(await admin.get(`/staff/catalogue/versions/1/premises?${query}`));
    const both = [
      ['7', 'EC2A 2BS', '', 'excluded'],
      ['100023336956', 'EC2A 2BS', 'Tower', 'NEARNET'],
    ];
    expect(await premises('')).toEqual(both);
    expect(await premises('at=ec2a2bs')).toEqual(both);
    expect(await premises('at=100023336956')).toEqual([both[1]]);
    expect(await premises('at=EC2A+2BR')).toEqual([]);
    expect((await admin.get('/staff/catalogue/versions/1/premises?at=x')).status).toBe(422);
  });
});

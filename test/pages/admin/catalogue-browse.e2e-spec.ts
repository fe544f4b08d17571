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
  it('are browsed by product, zone and price list', async () => {
    await service.given.catalogue({
      priceLists: ['gold,standard,-10,0.50'],
    });
    const prices = async (query: string) =>
      cells(await admin.get(`/staff/catalogue/versions/1/prices?${query}`)).map((row) =>
        row.slice(0, 3).concat(row[4]!),
      );
    expect(await prices('product=INT-1G-12&zone=ONNET')).toEqual([
      [expect.stringContaining('INT-1G-12'), 'ONNET', expect.stringMatching(/^gold/), '£495.00'],
      [expect.stringContaining('INT-1G-12'), 'ONNET', 'partner', '£499.50'],
      [expect.stringContaining('INT-1G-12'), 'ONNET', 'standard', '£550.00'],
    ]);
    expect(await prices('list=partner&zone=ONNET&product=1g+internet')).toEqual([
      [expect.stringContaining('INT-1G-12'), 'ONNET', 'partner', '£499.50'],
      [expect.stringContaining('INT-1G-36'), 'ONNET', 'standard', '£450.00'],
    ]);
    expect(await prices('zone=MOON')).toEqual([]);
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

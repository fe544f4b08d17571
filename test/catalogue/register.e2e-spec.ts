import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { RegisterService } from '../../src/catalogue/versions/register.service.js';
import { ReviewService } from '../../src/catalogue/versions/review.service.js';
import { AuditService, operator } from '../../src/platform/audit/audit.service.js';
import { folderOf } from '../support/catalogue.js';
import { newFolder } from '../support/closing.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const register =
  'pcd,pcds,dointr,doterm\n' +
  '"SW1A1AA","SW1A 1AA","198001",""\n' +
  '"SW1A1AB","SW1A 1AB","198001","201906"\n' +
  '"SW1A1AD","SW1A 1AD","202501",""\n' +
  '"N1 9GU","N1  9GU","198001",""\n' +
  '"GX111AA","GX11 1AA","198001",""\n';

onOneEngine('the service with a postcode register', (engine) => {
  let service: Service;
  let client: string;
  const imported = async (text: string, accept?: string) => {
    const path = join(await newFolder(), 'register.csv');
    await writeFile(path, text);
    return service.get(RegisterService).importFile(path, { actor: operator, accept });
  };
  const message = async (postcode: string) => {
    const path = `/product-availability/postcode/${encodeURIComponent(postcode)}`;
    return (await service.http.get<AvailabilityResult>(path, { token: client })).body.message;
  };

  beforeEach(async () => {
    service = await startService(engine);
    await service.given.catalogue({ coverage: ['SW1A 1AA,ONNET', 'SW1A 1AB,ONNET', 'N1,NEARNET'] });
    client = await service.given.token();
  });

  it('works without a postcode register', async () => {
    expect(await message('SW1A 1AB')).not.toContain('out of use');
  });

  it('reports since when a postcode has been terminated', async () => {
    const { register: stored, faults } = await imported(register);
    expect([stored.kind, stored.live, stored.terminated, faults.total]).toEqual(['ONSPD', 3, 1, 1]);
    expect(await message('SW1A 1AB')).toMatch(
      /available at SW1A 1AB\..* Royal Mail took this postcode out of use in June 2019\.$/,
    );
    expect(await message('SW1A 1AA')).not.toContain('out of use');
  });

  it('lints terminated and new postcodes, and counts the postcodes of whole places in a diff', async () => {
    await imported(register);
    const { warnings } = await service.get(ReviewService).preview(1);
    const found = Object.fromEntries(warnings.map(({ rule, examples }) => [rule, examples]));
    expect([found['terminated-postcode'], found['new-postcode']]).toEqual([
      ['SW1A 1AB'],
      ['SW1A 1AD'],
    ]);
    const path = await folderOf({ coverage: ['SW1A 1AA,ONNET', 'SW1A 1AB,ONNET'] });
    const { diff } = await service
      .get(ImportService)
      .importFiles(path, { label: 'x', actor: operator, dryRun: true });
    expect([diff?.postcodes.counts, diff?.postcodes.byArea]).toEqual([
      { gained: 0, lost: 1, moved: 0 },
      [{ area: 'N', gained: 0, lost: 1, moved: 0 }],
    ]);
  });

  it('imports Code-Point Open, and refuses a file without a postcode column', async () => {
    const { register: stored } = await imported(
      'Postcode,PQ,Eastings\nEC2A2BS,10,1\nN1 9GU,10,2\n',
    );
    expect([stored.kind, stored.live]).toEqual(['Code-Point Open', 2]);
    await expect(imported('a,b\n1,2\n')).rejects.toThrow(/has no postcode column/);
    await expect(imported('')).rejects.toThrow(/has no postcode column/);
  });

  it('leaves out terminated postcodes of a list that names them in other columns', async () => {
    const { register: stored, faults } = await imported(
      'Postcode,In Use?,Easting,Northing,Terminated\n' +
        'SW1A 1AA,Yes,529090,179645,\nSW1A 1AB,No,529090,179645,2019-06-01\nN1 9GU,No,530478,183123,\n',
    );
    const { live, placed, terminated } = stored;
    expect([live, placed, terminated, faults.total]).toEqual([1, 1, 2, 0]);
    expect(await message('SW1A 1AB')).toMatch(/out of use in June 2019\.$/);
    expect(await message('N1 9GU')).not.toContain('out of use');
  });

  describe('guards the register that it replaces', () => {
    const rows = Array.from({ length: 10 }, (_, i) => `E1 6A${'ABDEFGHJLN'[i]},53300${i},182000`);
    const file = (lines: readonly string[]) =>
      ['postcode,easting,northing', ...lines, ''].join('\n');
    const size = async () => {
      const { live, placed } = (await service.get(RegisterService).find())!;
      return [live, placed];
    };

    beforeEach(() => imported(file(rows)));

    it('loses up to 10 % of the postcodes without a reason, and more with one', async () => {
      await imported(file(rows.slice(1)));
      await expect(imported(file(rows.slice(2)))).rejects.toThrow(
        'register.csv has 8 live postcodes, 8 of them with a position. The register that it would replace has 9 live postcodes, 9 of them with a position. 1 live postcode and 1 position would be lost, more than 10 %. Nothing was changed. Check that the file is the whole register. If the loss is intended, give a reason: --yes "<reason>".',
      );
      expect(await size()).toEqual([9, 9]);
      await imported(file(rows.slice(2)), 'only London');
      expect(await size()).toEqual([8, 8]);
      const [entry] = await service
        .get(AuditService)
        .list({ subjectType: 'postcode-register', limit: 1 });
      expect(entry).toMatchObject({ action: 'imported', details: { accepted: 'only London' } });
    });

    it('keeps its positions where all of the file fail', async () => {
      const failing = rows.map((row) => row.replace(/,182000$/, '.5,182000.5'));
      await expect(imported(file(failing))).rejects.toThrow(
        /10 positions would be lost.*The first line with a fault is 2, "533000\.5,182000\.5"/,
      );
      await expect(imported(file(rows).replaceAll('northing', 'north'))).rejects.toThrow(
        '10 positions would be lost',
      );
      expect(await size()).toEqual([10, 10]);
    });

    it('counts the postcodes that are missing, however many others the file has', async () => {
      const others = Array.from(
        { length: 20 },
        (_, i) => `N1 ${i % 10}A${'AB'[i % 2]},530478,183123`,
      );
      await expect(imported(file(others))).rejects.toThrow('10 live postcodes and 10 positions');
    });
  });
});

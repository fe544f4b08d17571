import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CountsService } from '../../src/queue/lists/counts.service.js';
import { DemandService } from '../../src/reports/demand.service.js';
import { WrittenHtml } from '../../src/platform/http/written.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { duringTurns } from '../support/turns.js';

/** On SQLite, a page that only awaits answers of the database is drawn in one turn of the event loop. */
describe('a page on SQLite', () => {
  let service: Service;
  let browser: StaffBrowser;

  beforeAll(async () => {
    service = await startService('sqlite');
    await service.given.catalogue();
    browser = await StaffBrowser.signedIn(service, { role: 'manager' });
  });
  afterEach(() => void jest.restoreAllMocks());

  /** The turn of each step that a page of this path takes. */
  const stepsOf = (path: string) =>
    duringTurns(async (turn) => {
      const steps: [name: string, turn: number][] = [];
      const step = (name: string) => void steps.push([name, turn()]);
      const [demand, counts] = [service.get(DemandService), service.get(CountsService)];
      const [bySector, covered] = [demand.bySector.bind(demand), demand.covered.bind(demand)];
      jest.spyOn(demand, 'bySector').mockImplementation(async (query) => {
        const rows = await bySector(query);
        step('read');
        return rows;
      });
      jest.spyOn(demand, 'covered').mockImplementation(() => {
        step('covered');
        return covered();
      });
      const ofViews = counts.ofViews.bind(counts);
      jest.spyOn(counts, 'ofViews').mockImplementation((caller) => {
        step('counted');
        return ofViews(caller);
      });
      const text = Object.getOwnPropertyDescriptor(WrittenHtml.prototype, 'text')!;
      jest.spyOn(WrittenHtml.prototype, 'text', 'get').mockImplementation(function (
        this: WrittenHtml,
      ) {
        step('written');
        return text.get!.call(this) as string;
      });
      expect((await browser.get(path)).status).toBe(200);
      return steps;
    });

  it.each(['/staff/queue', '/staff/reports'])('is written in its own turn: %s', async (path) => {
    const steps = await stepsOf(path);
    expect(steps.map(([name]) => name)).toEqual(['counted', 'written']);
    const [counted, written] = steps.map(([, turn]) => turn);
    expect(written).toBeGreaterThan(counted!);
  });

  it.each(['/staff/map', '/staff/map/EC', '/staff/map/EC2A'])(
    'is read, prepared and written in different turns: %s',
    async (path) => {
      const turns = new Map((await stepsOf(path)).map(([name, turn]) => [name, turn]));
      expect([...turns.keys()].sort()).toEqual(['counted', 'covered', 'read', 'written']);
      expect(turns.get('covered')).toBeGreaterThan(turns.get('read')!);
      expect(turns.get('counted')).toBeGreaterThan(turns.get('covered')!);
      expect(turns.get('written')).toBeGreaterThan(turns.get('counted')!);
    },
  );
});

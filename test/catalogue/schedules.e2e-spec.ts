import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ImportView,
  PublishedVersionView,
  VersionView,
} from '../../src/catalogue/catalogue.dto.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { folderOf, priced, priceOf, until } from '../support/catalogue.js';
import { upload } from '../support/catalogue-form.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { cli, refusal } from '../support/processes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('a scheduled catalogue version', (engine) => {
  let service: Service;
  let staff: string;
  let client: string;

  type Answer = PublishedVersionView & { code: string; detail: string; scheduled: object[] };
  const move = (number: number, verb: string, body: object = {}) =>
    service.http.post<Answer>(`/catalogue/versions/${number}/${verb}`, body, { token: staff });
  const stateOf = async (number: number) => {
    const path = `/catalogue/versions/${number}`;
    return (await service.http.get<VersionView>(path, { token: staff })).body.state;
  };
  const stored = (price: string, fields: Record<string, string> = {}) =>
    upload<ImportView>(service.http, staff, priced(price), fields);
  const minutesAhead = (minutes: number) =>
    new Date(service.clock.now().getTime() + minutes * 60_000).toISOString();

  const december = () => ({ number: 2, label: 'rise', activatesAt: minutesAhead(60) });

  // Version 1 sells at 550.00. Version 2 sells at 560.00 in an hour. Version 3 is a draft.
  beforeEach(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    staff = await service.given.staffToken();
    client = await service.given.token();
    await stored('560.00', { label: 'rise' });
    expect((await move(2, 'schedule', { at: minutesAhead(60) })).status).toBe(200);
    await stored('551.00', { label: 'correction' });
  });
  afterEach(() => service.close());

  it('is named before another publication withdraws it', async () => {
    const { status, body } = await move(3, 'activation');
    expect([status, body.code, body.scheduled]).toEqual([
      409,
      'would-withdraw-schedule',
      [december()],
    ]);
    expect(body.detail).toContain(
      `version 2 (rise), scheduled for ${minutesAhead(60)}. To confirm this, name it: \`withdraw: [2]\``,
    );
    expect([await stateOf(2), await stateOf(3)]).toEqual(['scheduled', 'draft']);
    expect((await move(3, 'activation', { withdraw: [3, 1] })).status).toBe(409);
    expect((await move(3, 'activation', { withdraw: ['2'] })).status).toBe(400);

    const confirmed = await move(3, 'activation', { withdraw: [2] });
    expect([confirmed.status, confirmed.body.state, confirmed.body.withdrawn]).toEqual([
      200,
      'active',
      [december()],
    ]);
    expect(await stateOf(2)).toBe('draft');
    const history = (number: number) => service.get(VersionsService).history(number);
    expect((await history(2)).at(-1)).toMatchObject({
      action: 'withdrawn',
      actorType: 'staff',
      details: { overtakenBy: 3 },
    });
    expect((await history(3)).at(-1)).toMatchObject({
      action: 'activated',
      details: { withdrew: ['2'] },
    });
  });

  it.each(['rollback', 'restoration'])('stops a %s until a restoration names it', async (verb) => {
    await move(2, 'activation'); // Version 2 itself: no schedule is lost.
    expect(await stateOf(2)).toBe('active');
    expect((await move(3, 'schedule', { at: minutesAhead(30), accept: 'test' })).status).toBe(200);
    const { status, body } = await move(1, verb);
    expect([status, body.code, body.scheduled]).toEqual([
      409,
      'would-withdraw-schedule',
      [{ number: 3, label: 'correction', activatesAt: minutesAhead(30) }],
    ]);
    expect([await stateOf(2), await stateOf(3)]).toEqual(['active', 'scheduled']);
    const restored = await move(1, 'restoration', { withdraw: [3] });
    expect([restored.status, restored.body.withdrawn.map(({ number }) => number)]).toEqual([
      201,
      [3],
    ]);
    expect(await stateOf(3)).toBe('draft');
  });

  it('stops an import that publishes at once, which leaves a draft', async () => {
    const { status, body } = await stored('552.00', { then: 'activate' });
    expect([status, body]).toMatchObject([409, { code: 'would-withdraw-schedule' }]);
    expect([await stateOf(2), await stateOf(4)]).toEqual(['scheduled', 'draft']);
  });

  it('stays scheduled, without a question, when its number is the higher one', async () => {
    await move(2, 'activation');
    const fourth = (await stored('570.00')).body.version!;
    await move(fourth, 'schedule', { at: minutesAhead(30) });
    const { status, body } = await move(3, 'activation', { accept: 'test' });
    expect([status, body.withdrawn, await stateOf(fourth)]).toEqual([200, [], 'scheduled']);
  });

  it('can return to the prices that are live now, after a promotion', async () => {
    const { status, body } = await stored('550.00', { then: minutesAhead(120) });
    expect([status, body.outcome, body.version]).toEqual([201, 'scheduled', 4]);
    expect(await priceOf(service, client)).toBe(550);
    service.clock.advance({ minutes: 60 });
    await until(async () => (await priceOf(service, client)) === 560);
    service.clock.advance({ minutes: 60 });
    await until(async () => (await priceOf(service, client)) === 550);
    await until(async () => (await stateOf(4)) === 'active');
  });
});

describe('the command for catalogues', () => {
  it('publishes and restores over a schedule only when it is named, and never ignores --at', async () => {
    const settings = environmentOf(await newDatabase('sqlite'));
    const run = async (...words: string[]) => {
      const done = await cli(settings, 'catalogue', ...words);
      const last = done.stdout.trim().split('\n').at(-1);
      return done.code === 0 ? [0, last] : refusal(done);
    };
    const first = await folderOf({});
    await run('import', first);
    await run('import', await folderOf(priced('551.00')), '--label', 'rise', '--at', '+10h');
    const words = /Nothing was published.*version 2 \(rise\), scheduled for .* or --withdraw 2 /;
    const refused = [1, expect.anything(), expect.stringMatching(words)];
    const again = /^Version 2 \(rise\) is a draft again: it was scheduled for 20\d\d-.*Z\.$/;

    expect(await run('import', await folderOf(priced('552.00')), '--activate')).toEqual(refused);
    expect(await run('activate', '3')).toEqual(refused);
    // The content that is live, for a later instant.
    expect(await run('import', first, '--at', '+20h')).toEqual([
      0,
      expect.stringMatching(/^Version 4 is scheduled/),
    ]);
    expect(await run('withdraw', '4')).toEqual([0, 'Version 4 is a draft again.']);
    expect(await run('activate', '3', '--withdraw', '2')).toEqual([
      0,
      expect.stringMatching(again),
    ]);
    // Another folder with live content: an earlier instant than that of a lower number is refused.
    await run('import', await folderOf(priced('553.00')), '--label', 'rise', '--at', '+10h');
    const early = await run('import', await folderOf(priced('552.00')), '--at', '+5h');
    expect(early).toEqual([
      1,
      expect.anything(),
      expect.stringContaining('versions go live in the order of their numbers'),
    ]);
    expect(await run('rollback', '1')).toEqual([
      1,
      expect.anything(),
      expect.stringContaining('would withdraw the schedule of version 5 (rise)'),
    ]);
    expect(await run('rollback', '1', '--withdraw', '5')).toEqual([
      0,
      expect.stringMatching(/^Version 5 \(rise\) is a draft again/),
    ]);
  });
});

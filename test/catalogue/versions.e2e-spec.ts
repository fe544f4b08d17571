import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import type { ImportView, VersionList, VersionView } from '../../src/catalogue/catalogue.dto.js';
import type { VersionDiff } from '../../src/catalogue/catalogue-diff.dto.js';
import {
  CatalogueVersion,
  CatalogueContentRow,
} from '../../src/catalogue/versions/catalogue-version.entity.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { ReviewService } from '../../src/catalogue/versions/review.service.js';
import { VersionPruningService } from '../../src/catalogue/versions/version-pruning.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Problem } from '../../src/platform/problems/problem.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import { folderOf, priced, priceOf } from '../support/catalogue.js';
import { changesIn, upload } from '../support/catalogue-form.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';

onBothEngines('catalogue versions', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let staff: string;
  let client: string;
  const show = (number: number) =>
    service.http.get<VersionView>(`/catalogue/versions/${number}`, { token: staff });
  const move = (number: number, verb: string, body: object = {}) =>
    service.http.post<VersionView & { code: string; detail: string }>(
      `/catalogue/versions/${number}/${verb}`,
      body,
      { token: staff },
    );

  /** Uploads the small catalogue with this price. @returns the number of the version */
  const draft = async (price: string) => {
    const { body } = await upload<ImportView>(service.http, staff, priced(price));
    expect(body.outcome).toBe('draft');
    return body.version!;
  };
  /** The same, and takes it into service. */
  const activated = async (price: string) => {
    const number = await draft(price);
    expect((await move(number, 'activation')).body.state).toBe('active');
    return number;
  };

  /** How many contents and how many versions are stored. */
  const contents = () =>
    service
      .get(Transactions)
      .read(async (tx) => [await tx.count(CatalogueContentRow), await tx.count(CatalogueVersion)]);

  // Version 1 sells at 550.00.
  beforeEach(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    staff = await service.given.staffToken();
    client = await service.given.token();
  });
  afterEach(() => service.close());

  rule(
    'are built once to repeat the answers of earlier checks, and a few of them stay in memory',
    async () => {
      const catalogue = service.get(CatalogueService);
      await activated('560.00');
      const first = await catalogue.version(1);
      expect(await catalogue.version(1)).toBe(first);
      for (const price of ['570.00', '580.00', '590.00']) await activated(price);
      expect(await catalogue.version(1)).not.toBe(first);
    },
  );

  rule('stay drafts until they are activated', async () => {
    const { status, headers, body } = await upload<ImportView>(
      service.http,
      staff,
      priced('560.00'),
      { label: 'a little dearer' },
    );
    expect([status, headers.location, body.outcome, body.version, body.rails]).toEqual([
      201,
      '/catalogue/versions/2',
      'draft',
      2,
      [],
    ]);
    expect(changesIn(body, 'prices')).toEqual({
      name: 'prices',
      heading: 'Prices',
      count: 1,
      kinds: [{ change: 'changed', count: 1 }],
      periods: [],
      changes: [
        {
          what: 'price',
          change: 'changed',
          subject: 'INT-1G-12',
          zone: 'ONNET',
          priceList: 'standard',
          dates: '',
          before: '550.00 GBP',
          after: '560.00 GBP',
          percent: 1.8,
        },
      ],
    });
    expect(await priceOf(service, client)).toBe(550);
    expect((await move(2, 'activation')).body).toMatchObject({ number: 2, state: 'active' });
    expect(await priceOf(service, client)).toBe(560);
    expect((await show(1)).body).toMatchObject({ state: 'retired', label: 'test' });
  });

  rule('does not create a version for the active content', async () => {
    await activated('560.00');
    const { status, body } = await upload<ImportView>(service.http, staff, priced('560.00'));
    expect([status, body.outcome, body.version]).toEqual([200, 'no-change', 2]);
  });

  rule('creates a version with the content of an outdated draft', async () => {
    const earlier = await draft('570.00');
    await activated('580.00');
    const number = await draft('570.00');
    expect([earlier, number]).toEqual([2, 4]);
    expect((await move(number, 'activation')).body.state).toBe('active');
  });

  rule(
    'compares a draft again with the active version when its files are imported again',
    async () => {
      const near = await draft('650.00');
      const far = await draft('750.00');
      expect((await move(far, 'activation')).body.code).toBe('guard-rail');
      await move(near, 'activation');
      expect(await draft('750.00')).toBe(far);
      expect((await move(far, 'activation')).body.state).toBe('active');
    },
  );

  rule('does not create a version in a dry run', async () => {
    const { status, body } = await upload<ImportView>(service.http, staff, priced('999.00'), {
      dryRun: 'true',
    });
    expect([status, body.outcome, body.version]).toEqual([200, 'dry-run', null]);
    expect(body.rails.map(({ rail }) => rail)).toEqual(['price-moved']);
    expect((await show(2)).status).toBe(404);
  });

  rule('stop at a guard rail until a person gives a reason', async () => {
    const rows = { ...priced('840.00'), coverage: ['EC2A,ONNET', 'SW1A 1AA,ONNET'] };
    const { status, body } = await upload<ImportView>(service.http, staff, rows, {
      then: 'activate',
    });
    expect([status, body.outcome, body.version]).toEqual([201, 'draft', 2]);
    expect(body.rails.map(({ rail }) => rail)).toEqual(['coverage-lost', 'price-moved']);
    expect(await priceOf(service, client)).toBe(550);
    const refused = await move(2, 'activation');
    expect([refused.status, refused.body.code]).toEqual([409, 'guard-rail']);
    const accepted = await move(2, 'activation', { accept: 'new rate card' });
    expect([accepted.status, accepted.body.state]).toEqual([200, 'active']);
    expect(await priceOf(service, client)).toBe(840);
    const history = await service.get(VersionsService).history(2);
    expect(history.map(({ action, actorType, details }) => [action, actorType, details])).toEqual([
      ['imported', 'staff', expect.objectContaining({ rails: ['coverage-lost', 'price-moved'] })],
      ['activated', 'staff', expect.objectContaining({ accepted: 'new rate card' })],
    ]);
  });

  rule('are restored under a new number', async () => {
    await activated('560.00');
    await activated('570.00');
    const { status, body } = await move(2, 'activation');
    expect([status, body.number, body.state, body.contentOf]).toEqual([200, 4, 'active', 2]);
    expect(await priceOf(service, client)).toBe(560);
    const { body: diff } = await service.http.get<VersionDiff>('/catalogue/versions/2/diff', {
      token: staff,
    });
    expect([diff.from, diff.to, diff.diff.noChange]).toEqual([4, 2, true]);
  });

  rule('are restored to the last version with another content', async () => {
    await activated('560.00');
    for (let i = 0; i < 2; i++)
      await service.get(VersionsService).restore(1, { accept: 'test' }, operator);
    const { contentOf } = await service
      .get(VersionsService)
      .restore(null, { accept: 'test' }, operator);
    expect([contentOf, await priceOf(service, client)]).toEqual([2, 560]);
  });

  rule('refuse changes that their state does not allow', async () => {
    await activated('560.00');
    const versions = service.get(VersionsService);
    const refusal = (change: Promise<unknown>) => change.catch(({ detail }: Problem) => detail);
    expect(await refusal(versions.activate(1, {}, operator))).toContain('Version 1 is retired.');
    expect(await refusal(versions.restore(2, {}, operator))).toBe('Version 2 is already active.');
  });

  it('stay live where an activation is sent again, also at the same time', async () => {
    const version = await draft('560.00');
    const sent = () => move(version, 'activation', { accept: 'meant' });
    const statuses = (await Promise.all([sent(), sent()])).map(({ status }) => status);
    expect([...statuses, (await sent()).status]).toEqual([200, 200, 200]);
    const history = await service.get(VersionsService).history(version);
    expect(history.filter(({ action }) => action === 'activated')).toHaveLength(1);
  });

  it('are not published over a version that went live after their guard rails were checked', async () => {
    await activated('560.00');
    const [first, second, third] = [
      await draft('570.00'),
      await draft('580.00'),
      await draft('590.00'),
    ];
    const reviews = service.get(ReviewService);
    const railsOf = reviews.railsOf.bind(reviews);
    const publishMeanwhile = (number: number) =>
      jest.spyOn(reviews, 'railsOf').mockImplementationOnce(async (judged) => {
        const rails = await railsOf(judged);
        expect((await move(number, 'activation', { accept: 'meant' })).status).toBe(200);
        return rails;
      });
    publishMeanwhile(first);
    const activation = await move(second, 'activation');
    expect([activation.status, activation.body.code, activation.body.detail]).toEqual([
      ...[409, 'version-state'],
      expect.stringContaining('Version 3 went live meanwhile. Check the changes again.'),
    ]);
    expect((await move(second, 'activation')).body.code).toBe('guard-rail');
    publishMeanwhile(third);
    const restoration = await move(1, 'activation', { accept: 'meant' });
    expect([restoration.status, restoration.body.detail]).toEqual([
      409,
      expect.stringContaining('Version 5 went live meanwhile.'),
    ]);
    expect(await priceOf(service, client)).toBe(590);
  });

  rule('are listed newest first, one of them active', async () => {
    await activated('560.00');
    await draft('570.00');
    const { body } = await service.http.get<VersionList>('/catalogue/versions', { token: staff });
    expect(body.items.map(({ number, state }) => [number, state])).toEqual([
      [3, 'draft'],
      [2, 'active'],
      [1, 'retired'],
    ]);
  });

  rule(
    'explain an answer, also at an earlier instant and with the prices of a client',
    async () => {
      await activated('580.00');
      service.clock.advance({ minutes: 1 });
      await activated('570.00');
      const reseller = await service.given.client({ name: 'Partner', priceList: 'partner' });
      const explain = async (query: string) => {
        const path = `/catalogue/explain/EC2A2BS${query}`;
        const { status, body } = await service.http.get<ExplanationView>(path, { token: staff });
        const product = body.products?.find(({ productCode }) => productCode === 'INT-1G-12');
        const price = product?.prices.find(({ decides }) => decides);
        return [status, body.catalogueVersion, price?.priceList, price?.price];
      };
      expect(await explain('')).toEqual([200, 3, 'standard', 570]);
      expect(await explain('?client=Partner')).toEqual([200, 3, 'partner', 499.5]);
      expect(await explain(`?client=${reseller.id}`)).toEqual([200, 3, 'partner', 499.5]);
      const then = (await show(2)).body.activatedAt as unknown as string;
      expect(await explain(`?at=${then}`)).toEqual([200, 2, 'standard', 580]);
      expect((await explain('?client=Nobody'))[0]).toBe(404);
      expect((await explain('?at=2001-01-01T00:00:00Z'))[0]).toBe(404);
      expect((await explain('?at=yesterday'))[0]).toBe(400);
      const { body } = await service.http.get<ExplanationView>('/catalogue/explain/EC2A2BR', {
        token: staff,
      });
      expect([body.zone, body.reason]).toEqual([null, 'We do not serve EC2A 2BR.']);
    },
  );

  it('share one stored content if it is equal', async () => {
    await activated('560.00');
    await service.get(VersionsService).restore(1, { accept: 'test' }, operator);
    await draft('560.00');
    expect(await contents()).toEqual([2, 4]);
  });

  it('are pruned unless they are new, live or referred to', async () => {
    await priceOf(service, client);
    await activated('560.00');
    await service.given.order();
    await service.flushChecks();
    for (const price of ['570.00', '580.00']) await draft(price);
    await activated('590.00');
    await draft('600.00');
    const prune = (dryRun: boolean) =>
      service.get(VersionPruningService).prune(2, dryRun, operator);
    const expected = { removed: [4, 3], referred: [2, 1] };
    expect(await prune(true)).toEqual(expected);
    expect((await show(3)).status).toBe(200);
    expect(await prune(false)).toEqual(expected);
    expect([(await show(3)).status, (await show(2)).status]).toEqual([404, 200]);
    expect(await contents()).toEqual([4, 4]);
  });

  rule('are compared on open orders and on checks whose price holds', async () => {
    await activated('570.00');
    await service.given.order();
    await draft('610.00');
    for (let i = 0; i < 3; i++) await priceOf(service, client);
    await service.flushChecks();
    const effect = async (version: number) =>
      service
        .get(VersionEffectService)
        .effect(await service.get(CatalogueService).complete(version));
    const order = {
      reference: expect.stringMatching(/^ORD-/) as unknown,
      productCode: 'INT-1G-12',
      postcode: 'EC2A 2BS',
      before: expect.objectContaining({ amountMinor: 57_000 }) as unknown,
      after: expect.objectContaining({ amountMinor: 61_000 }) as unknown,
    };
    const checks = { openOrders: 1, heldChecks: 3 };
    const monthly = { GBP: 40 };
    expect(await effect(3)).toEqual({ ...checks, orders: [order], monthly, heldChanged: 3 });
    expect(await effect(2)).toEqual({
      ...checks,
      orders: [],
      monthly: { GBP: 0 },
      heldChanged: 0,
    });
  });
});

describe('a damaged version', () => {
  const options = { label: 'x', actor: operator };
  const damaged = 'Catalogue version 2 cannot be used: its checksum does not match.';
  let service: Service;
  let client: string;
  const publish = (number: number, accept?: string) =>
    service.get(VersionsService).activate(number, { accept }, operator);
  const draft = async (price: string) =>
    service.get(ImportService).importFiles(await folderOf(priced(price)), options);
  const ready = async () =>
    (await service.http.get<{ lag: string | null; catalogueVersion: number }>('/health/ready'))
      .body;
  const bodies = () =>
    service
      .get(Transactions)
      .read((tx) =>
        tx.query<{ body: string; hash: string }[]>(
          'SELECT body, hash FROM catalogue_contents JOIN catalogue_versions ON hash = content_hash ORDER BY number',
        ),
      );
  const store = (body: string, hash: string) =>
    service
      .get(Transactions)
      .run((tx) =>
        tx.query(`UPDATE catalogue_contents SET body = '${body}' WHERE hash = '${hash}'`),
      );

  beforeEach(async () => {
    service = await startService('sqlite');
    await service.given.catalogue();
    client = await service.given.token();
    await draft('560.00');
    await draft('570.00');
    // Judged while it could still be read.
    expect(await service.get(ReviewService).railsOf(2)).toEqual([]);
  });
  afterEach(() => service.close());

  it('does not go live; the instance reports the lag, and recovers', async () => {
    const [first, second] = await bodies();
    await store(first!.body, second!.hash);
    await expect(publish(2)).rejects.toThrow(damaged);
    expect(await ready()).toMatchObject({ catalogueVersion: 1, lag: damaged });
    expect(await priceOf(service, client)).toBe(550);
    await store(second!.body, second!.hash);
    await service.get(RevisionsService).look();
    expect(await ready()).toMatchObject({ catalogueVersion: 2, lag: null });
    expect(await priceOf(service, client)).toBe(560);
  });

  it('is replaced only with a reason, and only by a version that can be read', async () => {
    const [first, second, third] = await bodies();
    await store(first!.body, second!.hash);
    await expect(publish(2)).rejects.toThrow(damaged);
    const unreadable = 'its checksum does not match';
    await expect(publish(3)).rejects.toThrow(unreadable);
    await store(first!.body, third!.hash);
    await expect(publish(3, 'Version 2 is damaged')).rejects.toThrow(unreadable);
    await store(third!.body, third!.hash);
    await publish(3, 'Version 2 is damaged');
    expect(await ready()).toMatchObject({ catalogueVersion: 3, lag: null });
    expect(await priceOf(service, client)).toBe(570);
  });
});

import { beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { OperatorWatchesService } from '../../src/watches/operator-watches.service.js';
import { ServedService } from '../../src/watches/served.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import type { ClientWatch } from '../../src/watches/watches.dto.js';
import { newDatabase } from '../support/databases.js';
import type { CatalogueRows } from '../support/given.js';
import { importPositions } from '../support/positions.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const path = '/product-availability/watch';
/** Not covered by the small catalogue. */
const PLACE = `${path}/LS1%204AP`;

const covering = (...places: string[]): CatalogueRows => ({
  coverage: ['EC2A,ONNET', ...places.map((place) => `${place},ONNET`)],
});

onOneEngine('the evaluation of watches', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, {
      config: {
        rateLimits: false,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
      },
    });
  });
  beforeEach(async () => {
    token = await service.given.token();
    await service.given.catalogue();
    await evaluate();
  });

  const put = (at: string, body: object = {}, by = token) =>
    service.http.send<ClientWatch>({
      method: 'PUT',
      path: at,
      token: by,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const stateOf = async (at: string, by = token) =>
    (await service.http.get<ClientWatch>(at, { token: by })).body.state;
  const evaluate = (stopping?: AbortSignal) =>
    service.get(WatchEvaluationService).evaluate(stopping);

  it('starts again at once after it was stopped or has failed', async () => {
    await put(PLACE);
    await service.given.catalogue(covering('LS1'));
    await evaluate(AbortSignal.abort());
    expect(await stateOf(PLACE)).toBe('open');
    await evaluate();
    expect(await stateOf(PLACE)).toBe('served');

    const other = `${path}/LS2%207AA`;
    await put(other);
    await service.given.catalogue(covering('LS1', 'LS2'));
    const serving = jest.spyOn(service.get(ServedService), 'serve');
    serving.mockRejectedValueOnce(new Error('The database went away.'));
    await expect(evaluate()).rejects.toThrow('The database went away.');
    serving.mockRestore();
    await evaluate();
    expect(await stateOf(other)).toBe('served');
  });

  it('serves no bandwidth in fractions to a client with compatibility 0.2', async () => {
    const client = await service.given.client({ compatibility: '0.2' });
    const old = await service.given.token({ client });
    await put(PLACE, { maxPrice: 300 }, old);
    // Only the product of 0.1 Gbit/s costs less than 300.
    await service.given.catalogue(covering('LS1'));
    await evaluate();
    expect(await stateOf(PLACE, old)).toBe('open');
    const prices = ['INT-1G-12,ONNET,standard,299.00,GBP,84'];
    await service.given.catalogue({ ...covering('LS1'), prices });
    await evaluate();
    expect(await stateOf(PLACE, old)).toBe('served');
  });

  it('reports places in one message, of which the operator erases one alone', async () => {
    const client = await service.given.client();
    const own = await service.given.token({ client });
    const hook = 'http://127.0.0.1:9/hook';
    await service.get(WebhooksService).add(hook, { clientId: client.id, isTest: false }, operator);
    const other = `${path}/LS1%204AB`;
    const { body } = await put(PLACE, { reference: 'Ada Lovelace' }, own);
    await put(other, { reference: 'Grace Hopper' }, own);
    await service.given.catalogue(covering('LS1'));
    await evaluate();
    await service.get(OperatorWatchesService).erase(body.watchId, operator);
    const messages = await service
      .get(Transactions)
      .read((tx) => tx.findBy(OutboxMessage, { kind: 'watch.served' }));
    const text = messages.map((message) => message.body).join();
    expect([text.includes('Lovelace'), text.includes('Grace Hopper')]).toEqual([false, true]);
  });

  it('starts again after a change of NEAR_NET or the factor of routes', async () => {
    const database = await newDatabase(engine);
    const first = await startService(engine, { database });
    // 38 and 1,539 m as the crow flies: times 1.3, the second is beyond the band.
    await importPositions(first);
    await first.given.catalogue({
      zones: ['ONNET,Lit,onNetWithoutBuild,,'],
      buildBands: ['*,2000,100,7,subjectToSurvey,*'],
    });
    const own = await first.given.token();
    const [near, far] = [`${path}/E1%206AN`, `${path}/E1%206AF`];
    for (const at of [near, far]) {
      const body = JSON.stringify({ includeBuild: true });
      const headers = { 'Content-Type': 'application/json' };
      const sent = { method: 'PUT', path: at, token: own, headers, body };
      expect((await first.http.send<ClientWatch>(sent)).body.state).toBe('open');
    }
    const evaluatedWith = async (config: object) => {
      const again = await startService(engine, { database, config, clock: first.clock });
      await again.get(WatchEvaluationService).evaluate();
      const states: string[] = [];
      for (const at of [near, far]) {
        states.push((await again.http.get<ClientWatch>(at, { token: own })).body.state);
      }
      return states;
    };
    expect(await evaluatedWith({})).toEqual(['open', 'open']);
    expect(await evaluatedWith({ nearNet: 'all' })).toEqual(['served', 'open']);
    expect(await evaluatedWith({ nearNet: 'all', routeFactor: 1.2 })).toEqual(['served', 'served']);
  });
});

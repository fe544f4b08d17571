import { expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { startService } from '../support/service.js';
import { balance, Load, PER_SECOND } from './balanced.js';
import { Instance, isInstalled } from './processes.js';

const ROUNDS = Number(process.env.ROUNDS ?? 20);
const BALANCER = 41_520;
const PORTS = [41_521, 41_522, 41_523];

test(
  `three instances restarted in turn under ${PER_SECOND} requests a second, ${ROUNDS} times: no failed request`,
  async () => {
    if (!isInstalled('haproxy')) throw new Error('haproxy is needed: apt-get install haproxy');
    const database = await newDatabase('postgres', 'empty');
    const seed = await startService('postgres', { database });
    await seed.given.catalogue();
    const token = await seed.given.token({ days: 3_650 });
    const environment = {
      DATABASE_URL: database.databaseUrl!,
      ALLOW_INSECURE: 'no-rate-limits',
      DRAIN_SECONDS: '2',
      LOG_LEVEL: 'warn',
    };
    const instances = PORTS.map((port) => new Instance(port, environment));
    await Promise.all(instances.map((instance) => instance.start()));
    await balance(BALANCER, PORTS);
    await wait(1_000);
    const load = new Load(BALANCER, token);
    const running = load.run();
    later(() => load.stop());
    const codes = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const instance of instances) {
        codes.push(await instance.stop());
        await instance.start();
        // The load balancer checks every 300 ms, but slowly on a busy machine.
        await wait(1_500);
      }
      process.stdout.write(
        `round ${round + 1} of ${ROUNDS}: ${load.answered} answered, ${load.failures.length} failed so far\n`,
      );
    }
    await load.stop();
    await running;
    process.stdout.write(
      `${codes.length} restarts, ${load.answered} answered, ${load.failures.length} failed\n`,
    );
    expect([load.failures, new Set(codes)]).toEqual([[], new Set([0])]);
  },
  (ROUNDS + 3) * 120_000,
);

import { expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { balance, Load, PER_SECOND } from './balanced.js';
import { buildOld, fill, oldCommit } from './old-version.js';
import { Instance, isInstalled } from './processes.js';

const BALANCER = 41_570;
const PORTS = [41_571, 41_572, 41_573];

const commit = oldCommit();

(commit ? test : test.skip)(
  `three instances are upgraded in turn under ${PER_SECOND} requests a second: no failed request`,
  async () => {
    if (!isInstalled('haproxy')) throw new Error('haproxy is needed: apt-get install haproxy');
    const folder = buildOld(commit);
    const { databaseUrl } = await newDatabase('postgres');
    const { token } = fill(folder, databaseUrl!);
    const environment = {
      DATABASE_URL: databaseUrl!,
      ALLOW_INSECURE: 'no-rate-limits',
      DRAIN_SECONDS: '2',
      LOG_LEVEL: 'warn',
    };
    const olds = PORTS.map((port) => new Instance(port, environment, folder));
    const news = PORTS.map((port) => new Instance(port, environment));
    await Promise.all(olds.map((instance) => instance.start()));
    await balance(BALANCER, PORTS);
    await wait(1_000);
    const load = new Load(BALANCER, token);
    const running = load.run();
    later(() => load.stop());
    await wait(2_000);
    const codes = [];
    for (const [i, old] of olds.entries()) {
      codes.push(await old.stop());
      await news[i]!.start();
      await wait(1_500);
    }
    await load.stop();
    await running;
    for (const instance of news) codes.push(await instance.stop());
    process.stdout.write(
      `upgraded from ${commit.slice(0, 7)}: ${load.answered} answered, ${load.failures.length} failed\n`,
    );
    expect([load.failures, new Set(codes)]).toEqual([[], new Set([0])]);
  },
);

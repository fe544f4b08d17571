import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckDaysService } from '../../src/availability/check-days.service.js';
import { checkDays, countedRows, total } from '../support/check-days.js';
import type { Http } from '../support/http.js';
import { newShop } from '../support/orders.js';
import { figure, patience, rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { onBothEngines, startService } from '../support/service.js';

const CHECKERS = 8;
const units = ['EC2A%202BS', 'EC2A%202BR', 'N1%201AA', 'AB10%201AB'];
const DEMAND = '/follow-up/reports/demand?from=2026-01-01&to=2026-11-21';

onBothEngines('processes that are killed while they answer checks and reports', (engine) => {
  it(
    'leave counts of checks that equal a count of the rows',
    async () => {
      const { database, token } = await newShop(engine);
      const setUp = await startService(engine, { database });
      const staff = await setUp.given.staff({ role: 'manager' });
      const staffToken = await setUp.given.token({ staff, days: 3_650 });
      await setUp.close();
      const killings = rounds(2, 100);
      let answered = 0;
      let reports = 0;
      const others: number[] = [];
      for (let round = 1; round <= killings; round += 1) {
        const instances = await Promise.all(
          Array.from({ length: engine === 'postgres' ? 2 : 1 }, () => startProcess(database)),
        );
        let killed = false;
        let first = 0;
        const repeat = async (request: (n: number) => Promise<void>) => {
          try {
            for (let n = 0; !killed; n += 1) await request(n);
          } catch {
            // The process was killed.
          }
        };
        const checkers = (http: Http) =>
          Array.from({ length: CHECKERS }, (_, i) =>
            repeat(async (n) => {
              const unit = units[(n + i) % units.length]!;
              await http.get(`/product-availability/postcode/${unit}`, { token });
              answered += 1;
            }),
          );
        const reporter = (http: Http) =>
          repeat(async () => {
            const { status } = await http.get(DEMAND, { token: staffToken });
            if (status !== 200) others.push(status);
            first = reports += 1;
          });
        const running = instances.flatMap(({ http }) => [...checkers(http), reporter(http)]);
        while (first === 0) await sleep(1);
        await sleep(Math.random() * 300);
        killed = true;
        await Promise.all(instances.map(({ service }) => service.kill()));
        await Promise.all(running);
        for (const { http } of instances) http.close();
      }

      expect(others).toEqual([]);
      const service = await startService(engine, { database });
      await service.get(CheckDaysService).countNew();
      const counts = await checkDays(database);
      expect(counts).toEqual(await countedRows(database));
      expect(total(counts)).toBeGreaterThan(0);
      figure(
        `${engine}: ${killings} rounds of SIGKILL under ${CHECKERS} clients and reports: ${answered} checks answered, ${total(counts)} stored; the daily counts equal the rows. ${reports} reports.`,
      );
    },
    patience,
  );
});

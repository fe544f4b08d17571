import { describe, expect, it } from '@jest/globals';
import { check, newShop, order } from '../support/orders.js';
import { FarewellLine } from '../support/proxies.js';
import { startProcess } from '../support/service-process.js';
import { patience } from '../support/rounds.js';

async function lineToDatabase() {
  const { database, token } = await newShop('postgres');
  const direct = new URL(database.databaseUrl!);
  const line = await FarewellLine.to(Number(direct.port));
  direct.port = String(line.port);
  return { line, token, database: { ...database, databaseUrl: direct.href } };
}

describe('while PostgreSQL says goodbye on connections that have just become ready', () => {
  it(
    'the service goes on, answers checks, and takes orders as soon as connections last',
    async () => {
      const { line, token, database } = await lineToDatabase();
      const { service, http } = await startProcess(database);
      expect((await order(http, token, 'before')).status).toBe(201);
      line.left = Infinity;
      const answers = new Set<string>();
      for (let n = 0; line.said < 10; n += 1) {
        line.cut();
        const { status, body } = await order(http, token, `during-${n}`);
        answers.add(`${status} ${body.code}`);
        expect((await check(http, token)).status).toBe(200);
      }
      expect(service.isRunning).toBe(true);
      expect([...answers]).toEqual(['503 unavailable']);
      line.left = 0;
      line.cut();
      let status = 503;
      while (status === 503) ({ status } = await order(http, token, 'after'));
      expect(status).toBe(201);
      http.close();
      const { code, output } = await service.stop();
      expect([code, /unhandled|internal-error/i.test(output)]).toEqual([0, false]);
    },
    patience,
  );

  // The first is the one by which TypeORM tries the pool; those after it are used by the service.
  it.each([1, 2, 3, 4, 5, 6])(
    'a start that meets it on its first %i connections goes on, or ends with the reason',
    async (count) => {
      const { line, database } = await lineToDatabase();
      line.left = count;
      const said = await startProcess(database).then(
        ({ service: { output } }) => output,
        (error: Error) => error.message,
      );
      expect(line.said).toBeGreaterThan(0);
      expect(said).toMatch(/Listening on|The service cannot start: .*(not queryable|terminat)/);
      expect(said).not.toMatch(/unhandled|Emitted 'error'/i);
    },
    patience,
  );
});

import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { later } from '../support/closing.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { Http } from '../support/http.js';
import { start } from '../support/processes.js';

/** Has Node.js write warnings to stderr on a signal. */
const warning = `process.on('SIGUSR2', () => { process.emitWarning('again', { code: String(performance.now()) }); });`;

it('the service outlives the reader of its warnings', async () => {
  const child = start('dist/src/main.js', {
    ...{ NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', OPS_PORT: 'off' },
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(warning)}`,
    ...environmentOf(await newDatabase('sqlite')),
  });
  later(() => Promise.resolve(child.kill('SIGKILL')));
  const port = await new Promise<number>((resolve) => {
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      const [, found] = /Listening on 127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (found) resolve(Number(found));
    });
  });
  child.stderr.destroy();
  await once(child.stderr, 'close');
  const http = new Http(port);
  for (let n = 0; n < 3; n += 1) {
    child.kill('SIGUSR2');
    expect((await http.get('/health/live')).status).toBe(200);
  }
  http.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

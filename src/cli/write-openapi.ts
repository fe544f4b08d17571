import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, describe } from '../app.js';
import { readConfig } from '../config/config.js';

/** Writes `openapi.json` as the service would serve it with the default settings. */
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
try {
  const config = readConfig({ SQLITE_FILE: join(folder, 'empty.sqlite') });
  const app = await createApp(config);
  await app.init();
  writeFileSync('openapi.json', `${JSON.stringify(describe(app, config), null, 2)}\n`);
  await app.close();
} finally {
  rmSync(folder, { recursive: true });
}

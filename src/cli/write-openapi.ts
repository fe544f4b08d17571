import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app.js';
import { readConfig } from '../platform/config/config.js';
import { describe, documentNames } from '../platform/openapi/documents.js';

/** Writes both OpenAPI documents as the service would serve them with the default settings. */
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
try {
  const config = readConfig({ SQLITE_FILE: join(folder, 'empty.sqlite') });
  const app = await createApp(config);
  await app.init();
  const { client, staff } = describe(app, config);
  writeFileSync(`${documentNames.client}.json`, `${JSON.stringify(client, null, 2)}\n`);
  writeFileSync(`${documentNames.staff}.json`, `${JSON.stringify(staff, null, 2)}\n`);
  await app.close();
} finally {
  rmSync(folder, { recursive: true });
}

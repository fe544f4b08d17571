import { writeFileSync } from 'node:fs';
import { createApp, describe } from '../app.js';
import { readConfig } from '../config.js';

/** Writes `openapi.json` as the service would serve it with the default settings. */
const config = readConfig({ SQLITE_FILE: ':memory:' });
const app = await createApp(config);
await app.init();
writeFileSync('openapi.json', `${JSON.stringify(describe(app, config), null, 2)}\n`);
await app.close();

import type { BrowserServer } from 'playwright-core';
import { rm } from 'node:fs/promises';
import { PICTURES, startChromium } from './chromium.js';
import { makeTemplates, templates } from './templates.js';

declare global {
  var chromiumOfTheTests: BrowserServer | undefined;
  var endOfThePages: (() => Promise<void>) | undefined;
}

const missing = `
################################################################################
  No Chromium: THE TESTS OF THE PAGES ARE SKIPPED.
  Install one (Debian: apt-get install chromium), or name it in CHROMIUM_PATH.
################################################################################
`;

/** One browser for all page tests, which find it through `TEST_CHROMIUM`. */
export default async function setUp(): Promise<void> {
  await rm(PICTURES, { recursive: true, force: true });
  const server = await startChromium();
  if (!server) {
    process.stderr.write(missing);
    return;
  }
  globalThis.chromiumOfTheTests = server;
  process.env.TEST_CHROMIUM = server.wsEndpoint();
  // With faults, their setup makes the templates.
  if (!process.env[templates.sqlite]) globalThis.endOfThePages = await makeTemplates();
}

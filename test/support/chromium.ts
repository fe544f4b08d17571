import { accessSync, constants } from 'node:fs';
import { chromium } from 'playwright-core';

/** The folder of the pages' pictures after a failed test. CI keeps it. */
export const PICTURES = 'dist/failed-pages';

/** Usual paths of Chromium. The first executable one is used. */
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** `CHROMIUM_PATH`, or one of the usual paths; undefined if there is none. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, but there is no program.`);
  }
  return usualPaths.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One Chromium that all tests connect to; undefined if this machine has none. */
export async function startChromium() {
  const executablePath = findChromium();
  if (executablePath === undefined) return undefined;
  return chromium.launchServer({
    executablePath,
    host: '127.0.0.1',
    // On Linux, Chromium takes the date format of fields from the environment.
    env: { ...process.env, LANGUAGE: 'en_GB' },
    // No background requests of the browser: every request then comes from a page.
    args: ['--disable-background-networking', '--disable-component-update', '--lang=en-GB'],
  });
}

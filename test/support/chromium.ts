import { accessSync, constants } from 'node:fs';
import { chromium } from 'playwright-core';

/** Where Chromium is, on the systems that people have; the first that can be run is taken. */
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

/** `CHROMIUM_PATH`, or else one of the usual paths; undefined where there is none. */
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

/** One Chromium for whoever connects to it; undefined where there is none on this machine. */
export async function startChromium() {
  const executablePath = findChromium();
  if (executablePath === undefined) return undefined;
  return chromium.launchServer({
    executablePath,
    host: '127.0.0.1',
    // In which language it writes dates into fields: on Linux it asks the environment.
    env: { ...process.env, LANGUAGE: 'en_GB' },
    // No look-ups by the browser itself: what it asks for, the pages have asked for.
    args: ['--disable-background-networking', '--disable-component-update', '--lang=en-GB'],
  });
}

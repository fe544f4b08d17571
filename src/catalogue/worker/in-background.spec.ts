import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inBackground } from './in-background.js';

let folder: string;
let path: string;
const started: Worker[] = [];
const onWorker = (worker: Worker) => started.push(worker);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'availability-test-'));
  path = join(folder, 'register.csv');
  writeFileSync(path, 'postcode\nEC2A 2BS\nM1 1AE\n');
  process.on('worker', onWorker);
});

afterAll(() => {
  process.off('worker', onWorker);
  rmSync(folder, { recursive: true });
});

const live = async (signal?: AbortSignal) =>
  (await inBackground('readRegister', { path, before: null }, { signal })).live;

it('takes a thread that waits, but none whose job failed or was stopped', async () => {
  expect(await live()).toBe(2);
  const before = started.length;
  expect(await live()).toBe(2);
  expect(started.length).toBe(before);
  const missing = inBackground('readRegister', { path: join(folder, 'none.csv'), before: null });
  await expect(missing).rejects.toThrow('cannot be read');
  expect(started.length).toBe(before);
  await expect(inBackground('decodeRegister', { stored: new Uint8Array() })).rejects.toThrow();
  expect(await live()).toBe(2);
  expect(started.length).toBe(before + 1);
  const stopped = live(AbortSignal.abort(new Error('Not needed any more.')));
  await expect(stopped).rejects.toThrow('Not needed any more.');
  const controller = new AbortController();
  const stoppedLater = live(controller.signal);
  controller.abort(new Error('Stopped.'));
  await expect(stoppedLater).rejects.toThrow('Stopped.');
  expect(await live()).toBe(2);
  expect(started.length).toBe(before + 2);
});

it('runs jobs at the same time', async () => {
  expect(await Promise.all([live(), live(), live()])).toEqual([2, 2, 2]);
});

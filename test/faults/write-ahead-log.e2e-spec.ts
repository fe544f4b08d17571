import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findWalDamage } from '../../src/platform/database/sqlite/wal-damage.js';
import { newFolder } from '../support/closing.js';
import { figure, patience, rounds } from '../support/rounds.js';

const writer = fileURLToPath(new URL('../support/wal-writer.js', import.meta.url));

it(
  'the write-ahead log of a process that is killed is never taken for a damaged one',
  async () => {
    const file = join(await newFolder(), 'killed.sqlite');
    const total = rounds(10, 1_000);
    let looks = 0;
    for (let round = 1; round <= total; round += 1) {
      const child = spawn(process.execPath, [writer, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      // Also while it writes.
      for (const end = performance.now() + Math.random() * 200; performance.now() < end;) {
        expect([round, findWalDamage(`${file}-wal`)]).toEqual([round, null]);
        looks += 1;
        await sleep(1);
      }
      child.kill('SIGKILL');
      await ended;
      expect([round, findWalDamage(`${file}-wal`)]).toEqual([round, null]);
    }
    figure(
      `${total} processes killed while they wrote the log: never taken for damaged, nor in ${looks} looks while they wrote`,
    );
  },
  patience,
);

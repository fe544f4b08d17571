/**
 * Loaded into the service by `--import`: writes each hold of the event loop to the file in `HOLDS_FILE`, one JSON
 * object a line. A hold is measured by the processor time of the main thread, so that other processes do not count.
 */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds between looks. What is found between two of them is one hold, or a few short turns. */
const LOOK = 2;
/** Milliseconds of processor time. */
const LEAST = 4;

const file = process.env.HOLDS_FILE;
if (isMainThread && file !== undefined) {
  const cpuTime = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [last, lastCpu] = [performance.now(), cpuTime()];
  setInterval(() => {
    const [now, cpu] = [performance.now(), cpuTime()];
    const hold = { at: monotonic(), wall: now - last, cpu: cpu - lastCpu };
    [last, lastCpu] = [now, cpu];
    if (hold.cpu >= LEAST) appendFileSync(file, `${JSON.stringify(hold)}\n`);
  }, LOOK).unref();
}

/** Milliseconds of the machine's clock, which other processes and CPU profiles have, too. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

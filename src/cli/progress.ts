import { Presets, SingleBar } from 'cli-progress';

/** Shows a progress bar on a terminal only. @param what the label of the bar */
export async function withProgress<T>(
  what: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return work(() => undefined);
  const bar = new SingleBar(
    {
      format: `${what} {bar} {percentage} %  {seconds} s`,
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  const start = performance.now();
  const seconds = () => ({ seconds: ((performance.now() - start) / 1_000).toFixed(1) });
  bar.start(1, 0, seconds());
  try {
    return await work((done, total) => {
      bar.setTotal(total);
      bar.update(done, seconds());
    });
  } finally {
    bar.stop();
  }
}

/** Seconds of processor time that `work` takes in this thread: a busy machine does not lengthen them. */
export function processorTime(work: () => unknown): number {
  const begun = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000_000;
}

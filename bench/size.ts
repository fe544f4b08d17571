import type { BenchOptions, Report } from './options.js';
export async function run(_: BenchOptions): Promise<Report> {
  return { title: '', rows: [] };
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hold, holdsBetween } from './holds.js';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { functionName: string; url: string; lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
  /** Microseconds of the clock of the machine. */
  readonly startTime: number;
}

/** Milliseconds of processor time from which a hold is printed. */
const LONG = 10;

/**
 * `node dist/bench/profile.js <folder>`: prints the CPU time of each `.cpuprofile` by function, and what held the event
 * loop, where the folder has the `holds.jsonl` of the same run.
 */
const [folder = '.', most = '30'] = process.argv.slice(2);
for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
  printTimes(file, profile);
  const holds = join(folder, 'holds.jsonl');
  if (existsSync(holds)) printHolds(profile, holdsBetween(holds, 0, Infinity));
}

function printTimes(file: string, profile: Profile): void {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const self = new Map<string, number>();
  let busy = 0;
  for (const [i, id] of profile.samples.entries()) {
    const name = frames.get(id)!;
    if (name.startsWith('(idle)') || name.startsWith('(program)')) continue;
    const time = profile.timeDeltas[i] ?? 0;
    busy += time;
    self.set(name, (self.get(name) ?? 0) + time);
  }
  console.log(`\n${file}: ${Math.round(busy / 1000)} ms busy in JavaScript`);
  const top = [...self].sort((a, b) => b[1] - a[1]).slice(0, Number(most));
  for (const [name, time] of top) {
    console.log(`${((time / busy) * 100).toFixed(1).padStart(5)} %  ${name}`);
  }
}

/** By what they did: the functions of the service that most samples of a hold have in common, outermost first. */
function printHolds(profile: Profile, holds: readonly Hold[]): void {
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const stackOf = (id: number) => {
    const stack: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { callFrame } = nodes.get(at)!;
      const isOurs =
        callFrame.url.includes('/dist/src/') || callFrame.functionName.startsWith('(garbage');
      if (isOurs) stack.unshift(nameOf(callFrame));
    }
    return stack;
  };
  const times: number[] = [];
  profile.timeDeltas.reduce(
    (time, delta) => times[times.push(time + delta) - 1]!,
    profile.startTime,
  );
  const found = new Map<string, number[]>();
  let next = 0;
  for (const { at, wall, cpu } of holds.toSorted((a, b) => a.at - b.at)) {
    const [start, end] = [(at - wall) * 1_000, at * 1_000];
    while (next < times.length && times[next]! < start) next += 1;
    const counts = new Map<string, number>();
    let samples = 0;
    for (; next < times.length && times[next]! <= end; next += 1) {
      const stack = stackOf(profile.samples[next]!);
      samples += 1;
      for (const name of new Set(stack.slice(-4))) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (cpu < LONG) continue;
    const shared = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
    const words = shared.map(([name, count]) => `${name} ${Math.round((count / samples) * 100)} %`);
    const key =
      shared
        .slice(0, 2)
        .map(([name]) => name)
        .join(' < ') ||
      words.join() ||
      'no samples of ours';
    found.set(key, [...(found.get(key) ?? []), cpu]);
  }
  console.log(`\nHolds of ${LONG} ms of processor time or more:`);
  for (const [name, all] of [...found].sort((a, b) => Math.max(...b[1]) - Math.max(...a[1]))) {
    console.log(
      `${Math.max(...all)
        .toFixed(1)
        .padStart(7)} ms at most, ${all.length} times  ${name}`,
    );
  }
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const place = url.replace(/^.*\/(?=node_modules|dist)/, '').replace(/^node_modules\//, '');
  return `${functionName || '(anonymous)'}  ${place}${place ? `:${lineNumber + 1}` : ''}`;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Profile {
  readonly nodes: readonly {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** `node dist/bench/profile.js <folder>`: prints the CPU time of each `.cpuprofile` by function. */
const [folder = '.', most = '30'] = process.argv.slice(2);
for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
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

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][0]['callFrame']): string {
  const place = url.replace(/^.*\/(?=node_modules|dist)/, '').replace(/^node_modules\//, '');
  return `${functionName || '(anonymous)'}  ${place}${place ? `:${lineNumber + 1}` : ''}`;
}

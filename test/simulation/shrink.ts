import { Departure, type HistoryOptions, runHistory } from './history.js';

/** Histories that a failure may cost. */
const MOST_TRIES = Number(process.env.SHRINK ?? 40);
/** Milliseconds that it may take. */
const LONGEST = 120_000;

/** The shortest history that still fails, in words. */
export async function shrink(options: HistoryOptions, found: Departure): Promise<string> {
  const { seed, engine, steps } = options;
  const last = Number(found.history.at(-1)?.split(' ')[0] ?? steps - 1);
  let kept = options.only ?? Array.from({ length: last + 1 }, (_, number) => number);
  let failure = found;
  let tries = 0;
  const until = performance.now() + LONGEST;
  const mayTry = () => tries < MOST_TRIES && performance.now() < until;
  for (let size = Math.ceil(kept.length / 2); size >= 1 && mayTry();) {
    let isShorter = false;
    for (let at = 0; at < kept.length && mayTry();) {
      const only = kept.toSpliced(at, size);
      tries += 1;
      const again = only.length > 0 ? await failureOf({ ...options, only }) : null;
      if (again && kindOf(again) === kindOf(found)) {
        kept = only;
        failure = again;
        isShorter = true;
      } else {
        at += size;
      }
    }
    if (size === 1 && !isShorter) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return [
    `The service differs from the model. To see it again:`,
    `  SEED=${seed} STEPS=${steps} ENGINE=${engine} ONLY=${kept.join(',')} npm run simulate`,
    ...failure.history.map((line) => `  ${line}`),
    'Then:',
    ...failure.differences.map((line) => `  ${line}`),
    ...failure.warnings.slice(-5).map((line) => `  log: ${line}`),
  ].join('\n');
}

/** Its first difference, without numbers and ids: a shorter history must fail in the same way. */
function kindOf({ differences }: Departure): string {
  return (differences[0] ?? '').replaceAll(/".*?"|\d+/g, '').slice(0, 60);
}

async function failureOf(options: HistoryOptions): Promise<Departure | null> {
  try {
    await runHistory({ ...options, say: () => undefined });
    return null;
  } catch (error) {
    // Another kind of failure is not a shorter form of this one.
    return error instanceof Departure ? error : null;
  }
}

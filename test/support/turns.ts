import { Writable } from 'node:stream';

/** Numbers the turns of the event loop while `work` runs. @param work receives the number of the present turn */
export async function duringTurns<T>(work: (turn: () => number) => Promise<T>): Promise<T> {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns += 1;
    counting = setImmediate(count);
  });
  try {
    return await work(() => turns);
  } finally {
    clearImmediate(counting);
  }
}

/** Takes each chunk at once, as a client on the same machine. */
export class FastReader extends Writable {
  /** What arrived, with the turn in which it did. */
  readonly chunks: { readonly turn: number; readonly text: string }[] = [];

  constructor(turn: () => number) {
    super({
      write: (chunk: Buffer, _encoding, done) => {
        this.chunks.push({ turn: turn(), text: chunk.toString() });
        done();
      },
    });
  }

  get text(): string {
    return this.chunks.map(({ text }) => text).join('');
  }

  /** The most lines that arrived within one turn. */
  get mostLines(): number {
    const turns = Map.groupBy(this.chunks, ({ turn }) => turn).values();
    const lines = [...turns].map((own) => own.reduce((sum, { text }) => sum + linesIn(text), 0));
    return Math.max(0, ...lines);
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

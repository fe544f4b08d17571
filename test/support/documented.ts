import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { later } from './closing.js';
import { inherited } from './processes.js';

/** A command on a page, and the answer that the page shows. */
export interface Step {
  readonly script: string;
  /** Needs the sandbox. */
  readonly sandbox: boolean;
  readonly answer: { readonly language: string; readonly text: string } | undefined;
}

const fence = /^```(\w+)(?: ([a-z =]+))?\n([^]*?)^```$/gm;

/** The blocks ` ```sh run `, each with the block ` ```json answer ` or ` ```http answer ` after it. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const [, language = '', words = '', text = ''] of markdown.matchAll(fence)) {
    const [role, ...more] = words.split(' ');
    if (role === 'run') {
      steps.push({ script: text, sandbox: more.includes('sandbox'), answer: undefined });
    } else if (role === 'answer') {
      const last = steps.pop();
      if (!last) throw new Error('An answer precedes any command.');
      steps.push({ ...last, answer: { language, text } });
    }
  }
  return steps;
}

/** Every JSON block, including answers. */
export function jsonBlocks(markdown: string): string[] {
  return [...markdown.matchAll(fence)]
    .filter(([, language]) => language === 'json')
    .map(([, , , text = '']) => text);
}

/** A persistent shell, as a reader's: variables stay set for the next command. */
export class Shell {
  private readonly child = spawn('bash', ['--noprofile', '--norc'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...inherited, ...this.environment },
  });
  private printed = '';
  private complaints = '';
  private count = 0;

  constructor(
    private readonly environment: Readonly<Record<string, string>>,
    folder: string,
  ) {
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.complaints += text));
    this.child.stdin.write(`cd '${folder}'\n`);
    later(() => this.close());
  }

  /** The output of the script. */
  async run(script: string): Promise<string> {
    this.count += 1;
    const end = `-- end ${this.count}: `;
    this.printed = '';
    this.complaints = '';
    this.child.stdin.write(`${script}\nprintf '%s%s\\n' '${end}' "$?"\n`);
    const whole = new RegExp(`^([^]*)${end}(\\d+)\\n$`);
    for (;;) {
      const [, text, code] = whole.exec(this.printed) ?? [];
      if (text !== undefined && code === '0') return text;
      if (code !== undefined) throw new Error(`${script}\nended with ${code}: ${this.complaints}`);
      await once(this.child.stdout, 'data');
    }
  }

  private async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.stdin.end();
    await once(this.child, 'exit');
  }
}

export interface HttpAnswer {
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The output of `curl -i`, or the part that a page shows. */
export function parseHttp(text: string): HttpAnswer {
  const [head = '', ...rest] = text.replaceAll('\r', '').split('\n\n');
  const [status = '', ...lines] = head.split('\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  const body = rest.join('\n\n').trim();
  return {
    status: status.trim(),
    headers,
    body: body === '' ? null : (JSON.parse(body) as unknown),
  };
}

/** Values that differ in each run: ids, references, instants and remaining limits. */
const changing =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:ORD|ENQ|QUO|BESPOKE)-[0-9A-HJKMNP-TV-Z]{6}|\b[0-9A-HJKMNP-TV-Z]{10}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|whsec_[A-Za-z0-9+/]+=*|[A-Za-z0-9_-]{60,100}/g;

/** Ids for pages. */
const pools = [
  {
    like: /^[0-9a-f]{8}-[0-9a-f]{4}-7/,
    names: ['019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90', '019a9b61-22f0-7d1e-8c47-90b3f1d2a6e4'],
  },
  { like: /^ORD-/, names: ['ORD-7F3K9Q', 'ORD-2M8XWD'] },
  { like: /^ENQ-/, names: ['ENQ-7F3K9Q', 'ENQ-2M8XWD'] },
  { like: /^BESPOKE-/, names: ['BESPOKE-4T7GQ2', 'BESPOKE-9XN5ZD'] },
  { like: /^[0-9A-Z]{10}$/, names: ['KR3FVJ7P2M', '7D0QW3ZC8H', 'X4T9B0NG6E', '3PZKV8J1YC'] },
];

/** Maps the ids on a page to those of this run. */
export class Likeness {
  private readonly known = new Map<string, string>();

  /** The script of a page with this run's ids. */
  forThisRun(script: string): string {
    return script.replaceAll(changing, (written) => this.known.get(written) ?? written);
  }

  /** An answer of this run with the ids of the pages. */
  asWritten(text: string): string {
    return text.replaceAll(changing, (real) => {
      const before = [...this.known].find(([, its]) => its === real)?.[0];
      const written = before ?? this.nextLike(real);
      this.known.set(written, real);
      return written;
    });
  }

  private nextLike(real: string): string {
    const pool = pools.find(({ like }) => like.test(real));
    return pool?.names.find((name) => !this.known.has(name)) ?? real;
  }

  /** The differences, apart from values that differ in each run, which must be consistent. */
  departures(written: unknown, real: unknown, at = ''): string[] {
    if (typeof written === 'string' && typeof real === 'string') {
      return this.sameText(written, real) ? [] : [`${at}: ${real} is not like ${written}`];
    }
    if (Array.isArray(written) && Array.isArray(real)) {
      const length = written.length === real.length ? [] : [`${at}: there are ${real.length}`];
      return length.concat(
        written.flatMap((one, i) => this.departures(one, real[i], `${at}/${i}`)),
      );
    }
    if (isRecord(written) && isRecord(real)) {
      const names = [...new Set([...Object.keys(written), ...Object.keys(real)])];
      return names.flatMap((name) => this.departures(written[name], real[name], `${at}/${name}`));
    }
    return Object.is(written, real) ? [] : [`${at}: ${String(real)} is not ${String(written)}`];
  }

  private sameText(written: string, real: string): boolean {
    const [ours, theirs] = [written, real].map((text) => [...text.matchAll(changing)].flat());
    const steady = (text: string) =>
      text.replaceAll(changing, '…').replaceAll(/;r=\d+;t=\d+/g, ';r=…;t=…');
    if (steady(written) !== steady(real)) return false;
    return ours!.every((one, i) => {
      const before = this.known.get(one);
      this.known.set(one, before ?? theirs![i]!);
      return before === undefined || before === theirs![i];
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

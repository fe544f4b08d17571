import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../platform/config/config.js';

/** Secrets, and their replacements. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/pas_(live|test)_[0-9A-Za-z]{8,}/g, 'pas_$1_[token]'],
  [/\b(Bearer|Basic)\s+[^\s"',]{6,}/gi, '$1 [credentials]'],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"']{1,256}@/gi, '$1[credentials]@'],
  [/[^\s@"'<>()[\]{},;:=]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi, '[email]'],
  [/(?<![\w.:-])\+\d[\d ()-]{7,20}\d/g, '[phone]'],
];

/** Control characters except tab and line feed. JSON escapes only some that terminals obey. */
const commands = /(?![\t\n])[\p{Cc}\u2028\u2029]/gu;

/** Removes tokens, passwords, email addresses, phone numbers and terminal commands. */
export function redact(text: string): string {
  let rest = text;
  for (const [secret, instead] of secrets) rest = rest.replace(secret, instead);
  return rest.replace(commands, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const colours: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 };

/** Formats a log line for a terminal. Returns a line that is not JSON unchanged. */
export function prettyLine(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { time, level, msg, method, route, status, ms, stack, context, problem } = entry;
  const said =
    route === undefined
      ? [context === undefined ? '' : `${text(context)}:`, text(msg)]
      : [text(method), text(route), text(status), `${text(ms)} ms`, text(problem)];
  const words = [text(time).slice(11, 23), text(level).toUpperCase().padEnd(5), ...said];
  const plain = words.filter(Boolean).join(' ') + (stack === undefined ? '' : `\n${text(stack)}`);
  const colour = colours[text(level)];
  return colour === undefined ? `${plain}\n` : `\u001b[${colour}m${plain}\u001b[39m\n`;
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  return plain.replaceAll(/(?!\n)\p{Cc}/gu, escapeCharacter);
}

/** Bytes buffered before a write, and milliseconds until a partial write. */
const CHUNK = 32_768;
const LONGEST_WAIT = 500;
/** Bytes buffered while the reader is stuck; the log drops later lines. */
const MOST_WAITING = 8 * 1024 * 1024;

/** Milliseconds that the end of the process waits for the reader. */
const LONGEST_DRAIN = 1_000;

/** Contexts in which Nest logs every module and route at the start. */
const nestContexts = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Contexts in which Nest logs why a start fails. `start.ts` reports it, too. */
const startContexts = new Set(['ExceptionHandler', 'NestApplication']);

interface Destination extends DestinationStream {
  /** @param encoding `latin1` for ASCII, which is cheaper */
  write(text: string, encoding?: 'latin1'): void;
  flushSync?(): void;
  /** Whether everything is written, after at most LONGEST_DRAIN. */
  drain?(): Promise<boolean>;
}

/** Writes JSON lines to standard output in the background, Nest's messages included. */
export class Log implements LoggerService {
  private readonly pino: Logger;
  private readonly destination: Destination;
  private readonly lost = { lines: 0 };
  readonly writesRequests: boolean;

  constructor(
    { logLevel, production }: Pick<Config, 'logLevel' | 'production'>,
    destination?: Destination,
  ) {
    this.destination = destination ?? standardOutput(production, this.lost);
    this.pino = pino(
      {
        level: logLevel,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      this.destination,
    );
    this.writesRequests = this.pino.isLevelEnabled('info');
  }

  /** Lines that were dropped because the reader of the output was stuck, or its disk full. */
  get lostLines(): number {
    return this.lost.lines;
  }

  /** Writes a complete line of ASCII. */
  writeLine(line: string): void {
    this.destination.write(line, 'latin1');
  }

  log(message: unknown, ...rest: unknown[]): void {
    const ofNest = nestContexts.has(String(rest.at(-1)));
    this.write(ofNest ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write(startContexts.has(String(rest.at(-1))) ? 'debug' : 'error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
    this.flush();
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Writes the buffer, before the process ends. */
  flush(): void {
    try {
      this.destination.flushSync?.();
    } catch {
      // The reader has gone, or the file descriptor is not open yet.
    }
  }

  /**
   * Writes the buffer and ends the process. If the reader is stuck, a thread waits in a write that nothing
   * can interrupt, and the process would wait for the thread: then it kills itself.
   */
  async end(code: number): Promise<void> {
    const isWritten = (await this.destination.drain?.()) ?? true;
    if (isWritten) process.exit(code);
    process.kill(process.pid, 'SIGKILL');
  }

  /** @param rest Nest's parameters: further messages, the stack of an error, the context last */
  private write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ) {
    if (!this.pino.isLevelEnabled(level)) return;
    const texts = rest.filter((part): part is string => typeof part === 'string');
    const context = texts.at(-1);
    const stack =
      message instanceof Error
        ? message.stack
        : texts.slice(0, -1).find((text) => text.includes('\n'));
    this.pino[level](
      { ...(context && { context }), ...(stack && { stack: redact(stack) }) },
      redact(message instanceof Error ? `${message.name}: ${message.message}` : textOf(message)),
    );
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return JSON.stringify(message) ?? String(message);
}

function standardOutput(production: boolean, lost: { lines: number }): Destination {
  if (!production && process.stdout.isTTY) {
    return { write: (line) => void process.stdout.write(prettyLine(line)) };
  }
  const output = pino.destination({
    fd: 1,
    sync: false,
    maxLength: MOST_WAITING,
    contentMode: 'buffer',
  });
  output.on('drop', (bytes: string | Uint8Array) => (lost.lines += linesIn(bytes)));
  // The process must outlive its reader.
  output.on('error', () => undefined);
  return new ChunkedDestination(output as unknown as Output);
}

function linesIn(bytes: string | Uint8Array): number {
  return Buffer.from(bytes as Uint8Array).filter((byte) => byte === 10).length;
}

/** A pino destination in the content mode `buffer`. */
interface Output {
  write(bytes: Uint8Array): unknown;
  flushSync(): void;
  on(event: 'drain', listener: () => void): unknown;
  once(event: 'drain', listener: () => void): unknown;
}

/** Buffers lines as bytes: each garbage collection would copy strings. */
class ChunkedDestination implements Destination {
  private bytes = Buffer.allocUnsafeSlow(CHUNK);
  private length = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing = false;

  constructor(private readonly output: Output) {
    output.on('drain', () => (this.writing = false));
  }

  write(text: string, encoding: 'latin1' | 'utf8' = 'utf8'): void {
    const most = encoding === 'latin1' ? text.length : text.length * 3;
    if (this.length + most > CHUNK) this.writeChunk();
    if (most > CHUNK) {
      this.send(Buffer.from(text, encoding));
      return;
    }
    this.length += this.bytes.write(text, this.length, encoding);
    this.timer ??= setTimeout(() => this.writeChunk(), LONGEST_WAIT).unref();
  }

  flushSync(): void {
    this.writeChunk();
    this.output.flushSync();
  }

  drain(): Promise<boolean> {
    this.writeChunk();
    if (!this.writing) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.output.once('drain', () => resolve(true));
      setTimeout(() => resolve(false), LONGEST_DRAIN);
    });
  }

  private send(bytes: Uint8Array): void {
    this.writing = true;
    this.output.write(bytes);
  }

  private writeChunk(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.length === 0) return;
    this.send(this.bytes.subarray(0, this.length));
    this.bytes = Buffer.allocUnsafeSlow(CHUNK);
    this.length = 0;
  }
}

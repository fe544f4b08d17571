import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.js';
import { prettyLine } from './pretty-line.js';
import { redact } from './redact.js';

/** Characters gathered before they are written, and milliseconds for which they may wait. */
const GROUP = 16_384;
const LONGEST_WAIT = 500;
/** Bytes that may wait for a reader who has stopped reading; later lines are dropped. */
const MOST_WAITING = 8 * 1024 * 1024;

/** Contexts in which Nest tells, at each start, of every module and route. */
const nestsOwn = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

interface Destination extends DestinationStream {
  flushSync?(): void;
}

/** One JSON object a line, on standard output, written behind; Nest's own messages too. */
export class Log implements LoggerService {
  private readonly pino: Logger;
  readonly writesRequests: boolean;

  constructor(
    { logLevel, production }: Pick<Config, 'logLevel' | 'production'>,
    private readonly destination: Destination = standardOutput(production),
  ) {
    this.pino = pino(
      {
        level: logLevel,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      destination,
    );
    this.writesRequests = this.pino.isLevelEnabled('info');
  }

  /** A line that has been put together already. */
  writeLine(line: string): void {
    this.destination.write(line);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const ofNest = nestsOwn.has(String(rest.at(-1)));
    this.write(ofNest ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
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

  /** Writes what waits, at once: before the process ends. */
  flush(): void {
    try {
      this.destination.flushSync?.();
    } catch {
      // Nobody reads any more, or the descriptor is not open yet: there is nobody to tell.
    }
  }

  /** Nest's parameters: further messages, a stack of an error, and the context last. */
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

/** Lines for a machine; outside production, at a terminal, lines for a person. */
function standardOutput(production: boolean): Destination {
  if (!production && process.stdout.isTTY) {
    return { write: (line) => void process.stdout.write(prettyLine(line)) };
  }
  const output = pino.destination({ fd: 1, sync: false, maxLength: MOST_WAITING });
  // A reader who has gone is no reason to end.
  output.on('error', () => undefined);
  return new Grouped(output);
}

/** Hands many lines on at once: the output measures and copies each text that it is given. */
class Grouped implements Destination {
  private lines = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly output: Required<Destination>) {}

  write(line: string): void {
    this.lines += line;
    if (this.lines.length >= GROUP) this.pass();
    else this.timer ??= setTimeout(() => this.pass(), LONGEST_WAIT).unref();
  }

  flushSync(): void {
    this.pass();
    this.output.flushSync();
  }

  private pass(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines !== '') this.output.write(this.lines);
    this.lines = '';
  }
}

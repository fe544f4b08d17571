import { escapeCharacter } from './redact.js';

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

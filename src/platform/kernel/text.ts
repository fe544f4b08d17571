import { whole } from './counts.js';
/** Any text without NUL, which PostgreSQL cannot store. */
export const ANY_TEXT = '^[^\\u0000]*$';

/** A text without line breaks and other control characters. */
export const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** A text of several lines without other control characters. */
export const LINES = /^(?:[^\p{Cc}]|[\t\n]|\r\n)*$/u;

/** The fault of a text that is not `ONE_LINE`. */
export const NOT_ONE_LINE = 'Use one line, without control characters.';

/** The fault of a text of more than `most` characters. */
export function tooLong(most: number, text: string): string {
  return `Use at most ${whole(most)} characters; these are ${whole(text.length)}.`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** At most `most` characters; a text that was longer ends in `…`. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** For HTML text and attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

/** RFC 4180. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'string') return JSON.stringify(value);
  const safe = withoutFormula(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A text that a spreadsheet would read as a formula starts with an apostrophe (OWASP, *CSV Injection*). */
export function withoutFormula(text: string): string {
  return /^[\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

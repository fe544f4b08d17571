import { InvalidArgumentError } from 'commander';
import { parseInstant } from '../kernel/instant.js';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** An instant, or how far ahead: `+10s`. */
export function readWhen(text: string): Date {
  const [, number, unit] = /^\+(\d{1,6})([smh])$/.exec(text) ?? [];
  if (number && unit) return new Date(Date.now() + Number(number) * UNITS[unit]!);
  return readInstant(text);
}

export function readInstant(text: string): Date {
  const instant = parseInstant(text);
  if (instant) return instant;
  throw new InvalidArgumentError('Write an instant such as 2026-12-01T00:00:00Z.');
}

export function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number from 1.');
}

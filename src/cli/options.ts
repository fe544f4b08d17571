import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseInstant } from '../platform/kernel/time.js';

export function readInstant(text: string): Date {
  const instant = parseInstant(text);
  if (instant) return instant;
  throw new InvalidArgumentError('Write an instant such as 2026-12-01T00:00:00Z.');
}

/** A reader of whole numbers from 1. */
export function wholeNumber(most?: number): (text: string) => number {
  const range = most === undefined ? 'from 1' : `from 1 to ${most}`;
  return (text) => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= (most ?? Infinity)) return Number(text);
    throw new InvalidArgumentError(`Must be a whole number ${range}.`);
  };
}

export const readNumber = wholeNumber();

/** The number of a catalogue version. @param usage such as `<version>` or `[version]` */
export const versionArgument = (usage: string, meaning = 'the number of a version') =>
  new Argument(usage, meaning).argParser((text) => readNumber(text));

/** Reads known words separated by commas or blanks. */
export function readWords<W extends string>(text: string, known: readonly W[]): W[] {
  const words = text.split(/[\s,]+/).filter(Boolean);
  const unknown = words.filter((word) => !known.some((one) => one === word));
  if (unknown.length === 0) return words as W[];
  throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
}

export interface JsonOption {
  readonly json: boolean;
}

export const jsonOption = (help = 'one JSON object per line') =>
  new Option('--json', help).default(false);

export const limitOption = (usual: number, most: number) =>
  new Option('--limit <n>', 'the most rows to list').argParser(wholeNumber(most)).default(usual);

/** Confirms a change that a guard rail stops: `--yes`, or `--yes` and the reason. */
export interface AcceptOption {
  readonly yes?: string | true;
}

export const acceptOption = () =>
  new Option('--yes [reason]', 'confirm what a guard rail stops; the audit trail keeps the reason');

export function acceptedBy({ yes }: AcceptOption): string | null {
  return yes === true ? 'yes' : (yes ?? null);
}

import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseInstant } from '../platform/kernel/time.js';
import {
  fieldsOfInput,
  type InputType,
  readNumber as readNumberOrText,
  validated,
} from '../platform/http/valid.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';

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

/** How a property is written on the command line, such as `--price-list <name>` or `<percent>`; what it means; its default. */
type OptionWords = readonly [usage: string, meaning?: string, usual?: unknown];

export interface CommandInput<T extends object> {
  readonly options: readonly Option[];
  /**
   * @param given the arguments, by the names of their properties, and what commander has read
   * @throws {Refused} with a line for each fault
   */
  readonly read: (given: object) => Promise<T>;
}

/** The options of a command whose input has the rules of a DTO, as in JSON and on pages. */
export function commandInput<T extends object>(
  type: InputType<T>,
  words: { readonly [N in keyof T & string]?: OptionWords },
): CommandInput<T> {
  const usages = new Map(Object.entries<OptionWords>(words as Record<string, OptionWords>));
  const inputs = fieldsOfInput(type).flatMap((field) => {
    const [usage, meaning, usual] = usages.get(field.name) ?? [];
    if (usage === undefined) return [];
    const option = usage.startsWith('--') ? new Option(usage, meaning).default(usual) : null;
    return [{ ...field, usage, option, key: option?.attributeName() ?? field.name }];
  });
  const flagOf = (pointer: string) => {
    const usage = inputs.find(({ name }) => pointer === `/${name}`)?.usage;
    return usage?.replace(/ .*/, '') ?? pointer;
  };
  return {
    options: [...usages.keys()].flatMap((name) => {
      const input = inputs.find((one) => one.name === name);
      return input?.option ? [input.option.makeOptionMandatory(input.required)] : [];
    }),
    read: async (given) => {
      const values = new Map(Object.entries(given));
      const input = Object.fromEntries(
        inputs.flatMap(({ name, key, kind }) => {
          const value: unknown = values.get(key);
          return value === undefined ? [] : [[name, valueIn(value, kind === 'number')]];
        }),
      ) as object;
      try {
        return await validated(type, input);
      } catch (error) {
        if (!(error instanceof ValidationFailed)) throw error;
        const lines = error.errors.map(({ pointer, detail }) => `${flagOf(pointer)}: ${detail}`);
        throw new Refused(lines.join('\n'));
      }
    },
  };
}

function valueIn(value: unknown, isNumber: boolean): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  return isNumber ? readNumberOrText(text) : text;
}

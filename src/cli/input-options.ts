import { Option } from 'commander';
import { fieldsOfInput, type InputType, readNumber, validated } from '../platform/http/valid.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';

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
  return isNumber ? readNumber(text) : text;
}

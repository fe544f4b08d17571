/** What the text of a JSON body says that its value no longer does. Pure. */
import { type JSONVisitor, visit } from 'jsonc-parser';

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** The properties of all objects of a JSON text in UTF-8: its colons outside strings. */
export function propertiesIn(bytes: Uint8Array): number {
  let properties = 0;
  let isString = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === QUOTE) isString = !isString;
    else if (!isString) properties += byte === COLON ? 1 : 0;
    else if (byte === BACKSLASH) i += 1;
  }
  return properties;
}

export const DEEPEST_NESTING = 8;

/** Objects, lists and values that are read to name a repeated key. */
const MOST_VISITED = 100_000;

/** A JSON pointer to the first key that an object has twice; null where it is too far in the text, or nested too deeply. */
export function repeatedKeyIn(text: string): string | null {
  const objects: Set<string>[] = [];
  let found: string | null = null;
  let depth = 0;
  let visited = 0;
  const count = () => void ((visited += 1) > MOST_VISITED && end());
  const enter = () => {
    count();
    if ((depth += 1) > DEEPEST_NESTING) end();
  };
  const leave = () => void (depth -= 1);
  visitText(text, {
    onArrayBegin: enter,
    onArrayEnd: leave,
    onLiteralValue: count,
    onObjectBegin: () => {
      enter();
      objects.push(new Set());
    },
    onObjectEnd: () => {
      leave();
      objects.pop();
    },
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      const keys = objects.at(-1)!;
      if (!keys.has(key)) return void keys.add(key);
      found = [...path(), key].map((one) => `/${pointed(String(one))}`).join('');
      end();
    },
  });
  return found;
}

const pointed = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Where JSON that cannot be read has its first fault, for a sentence. Empty where it is nested too deeply before. */
export function placeOfFault(text: string): string {
  let place = '';
  let depth = 0;
  const begin = () => void ((depth += 1) > DEEPEST_NESTING && end());
  const leave = () => void (depth -= 1);
  visitText(text, {
    onError: (_code, _offset, _length, line, column) => {
      place = `line ${line + 1}, column ${column + 1}`;
      end();
    },
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: leave,
    onArrayEnd: leave,
  });
  return place;
}

function end(): never {
  throw new RangeError('The visit ends here.');
}

function visitText(text: string, visitor: JSONVisitor): void {
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

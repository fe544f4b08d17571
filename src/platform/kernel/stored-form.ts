import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** A stored value of a form that this program does not know. The values of all releases are read for ever. */
export class UnknownForm extends Error {
  /** @param what of the value, as the subject of a sentence */
  constructor(what: string, form: string | number) {
    super(
      `${what} has the form ${form}, which this program cannot read. A later release stored it: start that release, or one after it.`,
    );
    this.name = 'UnknownForm';
  }
}

/** Puts the number of its form in front of a value. */
export function withForm(form: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.of(form), ...parts]);
}

/**
 * The bytes behind the number of the form.
 * @throws {UnknownForm} if it has another one
 */
export function ofForm(form: number, stored: Uint8Array, what: string): Uint8Array {
  if (stored[0] !== form) throw new UnknownForm(what, stored[0] ?? 'of no bytes');
  return stored.subarray(1);
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Compresses outside the event loop. */
export function deflateJson(value: unknown): Promise<Buffer> {
  return deflate(JSON.stringify(value));
}

export async function inflateJson<T>(bytes: Uint8Array): Promise<T> {
  return JSON.parse((await inflate(bytes)).toString()) as T;
}

const JSON_FORM = 'v1';

/** The form of JSON columns: the value under the name of its form, such as `{"v1":[]}`. */
export const jsonForm = {
  to: (value: unknown) => (value === null || value === undefined ? value : { [JSON_FORM]: value }),
  /** @throws {UnknownForm} */
  from: (stored: unknown) => {
    if (stored === null) return null;
    const [form = 'none'] = Object.keys(stored as object);
    if (form !== JSON_FORM) throw new UnknownForm('A JSON value of the database', form);
    return (stored as Record<string, unknown>)[JSON_FORM];
  },
};

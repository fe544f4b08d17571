/** One variable of the environment: how it is read, what it is for. */
export interface Variable {
  readonly name: string;
  /** As in the README's table; an empty text means that there is none. */
  readonly default: string;
  /** What the value must be, as in "must be …". */
  readonly allowed: string;
  readonly meaning: string;
  /** Can also be given as a file's path in `<name>_FILE`. */
  readonly secret?: true;
  /** The default is only for trying out: in production the variable must be set. */
  readonly demoOnly?: true;
}

/** A variable, and how its text becomes a value. */
export interface Setting<T> extends Variable {
  /** The value of the text, or undefined where it is not allowed. */
  readonly parse: (text: string) => T | undefined;
}

export const setting = <T>(
  name: string,
  fallback: string,
  allowed: string,
  meaning: string,
  parse: (text: string) => T | undefined,
  marks: Pick<Variable, 'secret' | 'demoOnly'> = {},
): Setting<T> => ({ name, default: fallback, allowed, meaning, parse, ...marks });

export const wholeNumber = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : undefined;
};

export const oneOf =
  <T extends string>(...words: T[]) =>
  (text: string) =>
    words.find((word) => word === text);

export const url =
  (...protocols: string[]) =>
  (text: string) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed && protocols.includes(parsed.protocol) ? text.replace(/\/+$/, '') : undefined;
  };

export const listOf = (isValid: (part: string) => boolean) => (text: string) => {
  const parts = text.split(',').map((part) => part.trim());
  return parts.every(isValid) ? parts : undefined;
};

export const anyText = (text: string) => (text.trim() === '' ? undefined : text);

/** 32 bytes. */
export const base64Key = (text: string) => {
  const key = Buffer.from(text, 'base64');
  return key.length === 32 && key.toString('base64') === text ? key : undefined;
};

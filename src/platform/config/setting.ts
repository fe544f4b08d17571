/** The values that a setting can have. */
export interface SettingKind<T> {
  /** As in "must be …". */
  readonly allowed: string;
  /** Undefined where the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Why a text is not allowed, as in "is …, but …", where `allowed` says too little. */
  readonly fault?: (text: string) => string | undefined;
}

interface SettingNotes {
  readonly meaning: string;
  /** The value can also come from a file, whose path is in `<name>_FILE`. */
  readonly secret?: true;
  /** The default is a demo value: in production the variable must be set. */
  readonly demoOnly?: true;
}

/** One environment variable. */
export interface Setting<T> extends SettingKind<T>, SettingNotes {
  readonly name: string;
  /** Parsed like the variable. Empty: the value is `unset`. */
  readonly default: string;
  readonly defaultInProduction?: string;
  readonly unset?: T;
}

export type SettingValue<S> = S extends Setting<infer T> ? T : never;

type Usual<T> =
  Pick<Setting<T>, 'default' | 'defaultInProduction'> | { readonly unset: NoInfer<T> };

export function setting<T>(
  name: string,
  kind: SettingKind<T>,
  notes: SettingNotes & { readonly unset: null },
): Setting<T | null>;
export function setting<T>(
  name: string,
  kind: SettingKind<T>,
  notes: SettingNotes & Usual<T>,
): Setting<T>;
export function setting<T>(
  name: string,
  kind: SettingKind<T>,
  notes: SettingNotes & Usual<T>,
): Setting<T> {
  return { name, default: '', ...kind, ...notes };
}

export const kind = <T>(
  allowed: string,
  parse: (text: string) => T | undefined,
): SettingKind<T> => ({ allowed, parse });

export const wholeNumber = (least: number, most: number, unit?: string): SettingKind<number> =>
  kind(`a whole number ${unit ? `of ${unit} ` : ''}from ${least} to ${most}`, (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : undefined;
  });

export function oneOf<T extends string>(...words: T[]): SettingKind<T> {
  const quoted = words.map((word) => `\`${word}\``);
  const allowed = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return kind(allowed, (text) => words.find((word) => word === text));
}

/** The same texts with other values. */
export const mapped = <T, U>({ allowed, parse }: SettingKind<T>, map: (value: T) => U) =>
  kind(allowed, (text): U | undefined => {
    const value = parse(text);
    return value === undefined ? undefined : map(value);
  });

/** `true` where the text is the first of the words. */
export const isFirstOf = (...words: string[]) =>
  mapped(oneOf(...words), (word) => word === words[0]);

export const onOrOff = isFirstOf('on', 'off');

export const orOff = <T, U>({ allowed, parse }: SettingKind<T>, off: U): SettingKind<T | U> =>
  kind(`\`off\`, or ${allowed}`, (text) => (text === 'off' ? off : parse(text)));

/** Without a trailing slash. */
export const url = (allowed: string, ...protocols: string[]): SettingKind<string> =>
  kind(allowed, (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed && protocols.includes(parsed.protocol) ? text.replace(/\/+$/, '') : undefined;
  });

export const webUrl = (example = '') =>
  url(`an http or https URL${example && ` such as \`${example}\``}`, 'http:', 'https:');

export const listOf = (
  allowed: string,
  isValid: (part: string) => boolean,
): SettingKind<readonly string[]> =>
  kind(`${allowed}, separated by commas`, (text) => {
    const parts = text.split(',').map((part) => part.trim());
    return parts.every(isValid) ? parts : undefined;
  });

export const anyText = (allowed = 'a text'): SettingKind<string> =>
  kind(allowed, (text) => (text.trim() === '' ? undefined : text));

/** 32 bytes. */
export const base64Key: SettingKind<Buffer> = kind(
  '32 bytes in base64, as `openssl rand -base64 32` prints them',
  (text) => {
    const key = Buffer.from(text, 'base64');
    return key.length === 32 && key.toString('base64') === text ? key : undefined;
  },
);

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { UnknownForm } from './stored-form.js';

const VERSION = 'v1';
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM. Decryption needs the same `context`, so that the text cannot be moved.
 * @param key 32 bytes
 */
export function seal(text: string, key: Buffer, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return [VERSION, nonce.toString('base64'), sealed.toString('base64')].join(':');
}

/** @throws if the key, context or sealed text differ, {UnknownForm} if a later release sealed it */
export function open(sealed: string, key: Buffer, context: string): string {
  const [version, nonce = '', data = ''] = sealed.split(':');
  if (version !== VERSION) {
    const isForm = /^v\d+$/.test(version!);
    throw isForm ? new UnknownForm('The sealed text', version!) : new Error('It is not sealed.');
  }
  const bytes = Buffer.from(data, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/** A sealed text as it is stored. */
export interface SealedRow {
  readonly context: string;
  readonly sealed: string;
}

export interface Resealed {
  /** Rows to be stored instead of those with `earlier`. */
  readonly changed: readonly (SealedRow & { readonly earlier: string })[];
  /** How many were sealed with the first key already. */
  readonly current: number;
  /** The contexts of those that no key opens. */
  readonly unreadable: readonly string[];
}

/** Seals with the first key, and opens with each: a key can so be changed while the service runs. */
export class SealingKeys {
  constructor(private readonly keys: readonly [Buffer, ...Buffer[]]) {}

  /** @returns null without a first key */
  static of(first: Buffer | null, second: Buffer | null): SealingKeys | null {
    return first && new SealingKeys(second ? [first, second] : [first]);
  }

  seal(text: string, context: string): string {
    return seal(text, this.keys[0], context);
  }

  /** @throws where no key opens it */
  open(sealed: string, context: string): string {
    const text = this.keys.map((key) => opened(sealed, key, context)).find(isText);
    if (text === undefined) throw new Error('No key opens the sealed text.');
    return text;
  }

  resealAll(rows: readonly SealedRow[]): Resealed {
    const changed = [];
    const unreadable = [];
    let current = 0;
    for (const { context, sealed: earlier } of rows) {
      const [first, ...others] = this.keys.map((key) => opened(earlier, key, context));
      const text = others.find(isText);
      if (first !== undefined) current += 1;
      else if (text === undefined) unreadable.push(context);
      else changed.push({ context, earlier, sealed: this.seal(text, context) });
    }
    return { changed, current, unreadable };
  }
}

function opened(sealed: string, key: Buffer, context: string): string | undefined {
  try {
    return open(sealed, key, context);
  } catch (error) {
    if (error instanceof UnknownForm) throw error;
    return undefined;
  }
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const TAG_BYTES = 16;

/**
 * Encrypts a text with AES-256-GCM. It opens only with the same `context`, so that it cannot be copied
 * to another place.
 * @param key 32 bytes
 */
export function seal(text: string, key: Buffer, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return [VERSION, nonce.toString('base64'), sealed.toString('base64')].join(':');
}

/** Decrypts it. @throws where key, context or sealed text differ */
export function open(sealed: string, key: Buffer, context: string): string {
  const [version, nonce = '', data = ''] = sealed.split(':');
  if (version !== VERSION) throw new Error('The sealed text is of an unknown version.');
  const bytes = Buffer.from(data, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

import { createHash } from 'node:crypto';
import type { ClientCaller } from '../../platform/access/caller.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { Side } from '../../platform/database/sides.js';
import {
  AlreadyRunning,
  REQUEST_DEADLINE,
  Transactions,
} from '../../platform/database/transactions.js';
import { MalformedRequest } from '../../platform/problems/problem.js';
import { Headers } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { describedParameter } from '../../platform/http/described.js';
import { ordersOn, type OrdersTx } from '../record/order-tables.js';
import { IdempotencyKeyReused, RequestInProgress } from '../record/orders.errors.js';
import { withFreshReferences } from '../record/references.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { setTimeout as delay } from 'node:timers/promises';

/** The header `Idempotency-Key` as the client sent it. */
export const IdempotencyKeyHeader = () =>
  describedParameter(
    Headers('idempotency-key'),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes a retry safe. Choose a new key for each order or enquiry, such as a UUID, and send the same key with each retry: the service sends the first success again, with `Idempotent-Replayed: true`. Keys belong to the API client and are kept for at least 30 days. Double quotes around the key are optional.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        pattern: '^[A-Za-z0-9._:-]{1,255}$',
        example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
      },
    }),
  );

/**
 * The key in an `Idempotency-Key` header: 1–255 of `[A-Za-z0-9._:-]`, quoted (a Structured Field
 * String, as in draft-ietf-httpapi-idempotency-key-header-07) or bare.
 * @throws {MalformedRequest} if it is anything else
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, quoted, bare] =
    /^\s*(?:"([A-Za-z0-9._:-]{1,255})"|([A-Za-z0-9._:-]{1,255}))\s*$/.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw new MalformedRequest(
    'Idempotency-Key must be one key of 1 to 255 of the characters A-Z a-z 0-9 . _ : -',
  );
}

/** The key as it is stored. That of a test has a space, which no live key can have. */
export function storedKey(key: string, { isTest }: Side): string {
  return isTest ? `test ${createHash('sha256').update(key).digest('hex')}` : key;
}

/** SHA-256 (hexadecimal) of a parsed body. The order of keys does not matter; null means missing. */
export function fingerprintOf(body: unknown): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? canonicalObject(part)
      : part,
  );
}

function canonicalObject(part: object): object {
  const said = Object.entries(part).filter(([, value]) => value !== null);
  return Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface Replayed {
  /** This repeats the response to the first request with the same key. */
  readonly replayed: boolean;
}

/** The answer to a request that is made once. @param path of what it has made */
export function answerOnce<T extends Replayed>(
  response: Response,
  { replayed, ...body }: T,
  path?: string,
): Omit<T, 'replayed'> {
  if (path !== undefined) response.setHeader('Location', `/product-availability/${path}`);
  if (replayed) response.setHeader('Idempotent-Replayed', 'true');
  return body;
}

/** What a client asks for once, however often it sends the request with its key. */
interface OnceAsked<T> {
  readonly key: string | undefined;
  readonly fingerprint: string;
  /** When the time for it starts; by default the arrival of the request. */
  readonly since?: number;
  /** What the first request with the key got. */
  readonly repeat: (tx: OrdersTx, kept: IdempotencyKey) => Promise<T>;
  /** New references may be taken: then it runs again. */
  readonly make: (tx: OrdersTx) => Promise<{
    readonly result: T;
    readonly kept: Pick<IdempotencyKey, 'subjectId' | 'answer' | 'createdAt'>;
  }>;
}

/**
 * Makes it in one transaction; with a key, not at the same time as another request with it.
 * @throws {RequestInProgress | IdempotencyKeyReused}
 */
export async function onceFor<T>(
  transactions: Transactions,
  client: Side & Pick<ClientCaller, 'clientId'>,
  { key, fingerprint, since, repeat, make }: OnceAsked<T>,
): Promise<Replayed & { readonly result: T }> {
  const { clientId } = client;
  const stored = key === undefined ? undefined : { clientId, key: storedKey(key, client) };
  const work = async (all: Tx) => {
    const tx = ordersOn(all, client);
    const earlier = stored && (await tx.findOneBy(IdempotencyKey, stored));
    if (earlier) {
      if (earlier.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
      return { result: await repeat(tx, earlier), replayed: true };
    }
    const { result, kept } = await make(tx);
    if (stored) await tx.insert(IdempotencyKey, { ...stored, fingerprint, ...kept });
    return { result, replayed: false };
  };
  const run = () =>
    stored
      ? transactions.runExclusively(`quote ${clientId} ${stored.key}`, work)
      : transactions.run(work);
  return transactions
    .within(REQUEST_DEADLINE, () => withFreshReferences(run), since)
    .catch((error: unknown) => {
      throw error instanceof AlreadyRunning ? new RequestInProgress() : error;
    });
}

/** A double click sends a form twice: the second request waits up to 8 × 150 ms for the first. */
const RETRIES = { times: 8, milliseconds: 150 };

/** What the form of a page does once for each key, however often it is sent. */
export async function sentTwice<T>(
  onceKey: string,
  work: (key: string | undefined) => Promise<T>,
): Promise<T> {
  const key = readIdempotencyKey(onceKey);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(key);
    } catch (error) {
      if (!(error instanceof RequestInProgress) || attempt === RETRIES.times) throw error;
      await delay(RETRIES.milliseconds);
    }
  }
}

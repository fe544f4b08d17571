import type { Expected, Model } from '../model/model.js';
import type { Random } from '../random.js';
import type { Sent } from '../simulated-service.js';

/** One request of one caller, and what it must do. */
export interface Action {
  /** For the log. */
  readonly words: string;
  readonly sent: Sent;
  /** What the answer must be. Makes the change in the model. */
  readonly expect: (model: Model) => Expected;
  /** What a repetition does: the `same`, nothing because the first one is `done`, or it all `twice`. */
  readonly again: 'same' | 'done' | 'twice';
  /** Where ids that an answer brought can be read, if it was lost. */
  readonly reread?: Sent;
  /** Whether the answer never has them. */
  readonly alwaysReread?: boolean;
}

/** A kind of step. It is drawn from its own seed, so that a history stays as it is when others are left out. */
export interface StepKind {
  readonly name: string;
  readonly weight: number;
  /** @returns null if nothing in the model allows it */
  draw(model: Model, random: Random): Action | null;
}

/** The number of one of the requests that fit, mostly a recent one. */
export function pickRequest(
  model: Model,
  random: Random,
  fits: (number: number) => boolean = () => true,
): number | undefined {
  const numbers = [...model.requests.keys()].filter(fits);
  return random.chance(60) ? random.maybe(numbers.slice(-4)) : random.maybe(numbers);
}

export const places = ['EC2A 2BS', 'EC2A 2BR', 'SW1A 1AA', 'N1 1AA', 'N1 9AG', 'M1 1AE'] as const;

/** A key for an order, an enquiry or a quote: 60 % have one. */
export function keyed(random: Random): {
  readonly headers?: { readonly 'Idempotency-Key': string };
} {
  if (!random.chance(60)) return {};
  return { headers: { 'Idempotency-Key': `key-${random.bits().toString(36)}` } };
}

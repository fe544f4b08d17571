import { type Expected, type MemberModel, type Model, refused } from '../model/model.js';
import type { Sites } from '../model/quotes.js';
import type { Random } from '../random.js';
import type { Operation, Sent } from '../simulated-service.js';

/** One request of one caller, or what the operator does at the command line, and what it must do. */
export interface Action {
  /** For the log. */
  readonly words: string;
  readonly sent: Sent | Operation;
  /** What the answer must be. Makes the change in the model. */
  readonly expect: (model: Model) => Expected;
  /** What a repetition does: the `same`, nothing because the first one is `done`, or it all `twice`. What is read `alone` names ids that a racing step would still have to learn. */
  readonly again: 'same' | 'done' | 'twice' | 'alone';
  /** Whether it makes another catalogue live: of two at once, the service may refuse one. */
  readonly publishes?: true;
  /** Where ids that an answer brought can be read, if it was lost. */
  readonly reread?: Sent;
  /** Whether the answer never has them. */
  readonly alwaysReread?: boolean;
}

/** What the answer must be: an ended token, and that of a member who has left, are refused. Makes the change in the model. */
export function expectedOf({ sent, expect }: Action, model: Model): Expected {
  const token = ('token' in sent && sent.token) || '';
  const hasEnded =
    model.clients.some(({ ended }) => ended.includes(token)) ||
    model.members.some((member) => !member.isEnabled && member.token === token);
  return hasEnded ? refused(401, 'invalid-token') : expect(model);
}

/** The same by the form of a page; `path` is its address below that of the request. */
export function onPage(
  action: Action,
  { id, isEnabled }: MemberModel,
  request: string,
  { path, fields }: { readonly path: string; readonly fields: object },
): Action {
  if (!isEnabled) return action;
  const filled = Object.entries(fields).filter(([, value]) => value !== undefined);
  const words = filled.map(([name, value]) => [
    name,
    typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value),
  ]);
  return {
    ...action,
    words: `${action.words}, on a page`,
    sent: {
      method: 'POST',
      path: `/staff/orders/${request}/${path}`,
      by: id,
      body: Object.fromEntries(words) as object,
    },
    ...(action.reread && { alwaysReread: true }),
  };
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

/** A list of sites as a client sends it. */
export function drawSites(random: Random): Sites['sites'] {
  return Array.from({ length: 1 + random.below(4) }, () => ({
    postcode: random.pick(places),
    wanted: {
      bandwidth: random.pick([0.1, 1, 10]),
      term: random.pick([null, 12, 36]),
      service: null,
    },
  }));
}

/** A key for an order, an enquiry or a quote: 60 % have one. */
export function keyed(random: Random): {
  readonly headers?: { readonly 'Idempotency-Key': string };
} {
  if (!random.chance(60)) return {};
  return { headers: { 'Idempotency-Key': `key-${random.bits().toString(36)}` } };
}

/** A text that no other step writes, so that it can be looked for after an erasure. */
export const someWord = (random: Random) => `w9${random.bits().toString(36)}`;

/**
 * What happens to the orders of the demo's week. All durations are minutes of working time. A story
 * is told from its end: `ended` says how long ago its last step was, and the gaps before the steps
 * say when the others were and when the order arrived.
 */
import type { ScheduleReason } from '../../src/orders/moves/move-fields.js';
import type { Move } from '../../src/orders/moves/order-state.js';

type Range = readonly [least: number, most: number];

/** Who makes a step; the owner, where nothing is said. */
export type By = 'manager' | 'client' | 'rule' | 'somebody';

type Plain<Name extends Move['name']> = Extract<Move, { name: Name }>;

export type Deed =
  | Exclude<Move, Plain<'assign'> | Plain<'handOver'> | Plain<'schedule'> | Plain<'duplicate'>>
  | { readonly name: 'assign' }
  | { readonly name: 'handOver'; readonly note: string }
  | { readonly name: 'duplicate' }
  | { readonly name: 'addNote'; readonly note: string }
  | {
      readonly name: 'schedule';
      readonly reason: ScheduleReason;
      readonly note?: string;
      /** From the step on, or from now (negative: it came due before). */
      readonly after?: number;
      readonly fromNow?: number;
    };

export interface Step {
  readonly gap: Range;
  readonly by?: By;
  readonly deed: Deed;
}

export interface Story {
  readonly ended: Range;
  readonly steps: readonly Step[];
  /** Whose it is: the viewer's, or a colleague's if nothing is said. */
  readonly mine?: boolean;
  /** Arrives so long after the order of the story before it, and asks for the same. */
  readonly repeats?: Range;
}

export const step = (gap: Range, deed: Deed, by?: By): Step => ({ gap, deed, ...(by && { by }) });

export const claim = (...gap: Range) => step(gap, { name: 'claim' });
export const assigned = (...gap: Range) => step(gap, { name: 'assign' }, 'manager');
export const reached = (note: string, ...gap: Range) =>
  step(gap, { name: 'logContact', channel: 'phone', result: 'reached', note });
export const noAnswer = (...gap: Range) =>
  step(gap, { name: 'logContact', channel: 'phone', result: 'no_answer' });
export const voicemail = (...gap: Range) =>
  step(gap, { name: 'logContact', channel: 'phone', result: 'voicemail' });
export const emailed = (note: string, ...gap: Range) =>
  step(gap, { name: 'logContact', channel: 'email', result: 'emailed', note });
export const wrong = (note: string, ...gap: Range) =>
  step(gap, { name: 'logContact', channel: 'phone', result: 'wrong_details', note });
export const note = (text: string, ...gap: Range) => step(gap, { name: 'addNote', note: text });
export const win = (externalReference: string, ...gap: Range) =>
  step(gap, { name: 'win', externalReference });
export const lose = (reason: Plain<'lose'>['reason'], text: string, ...gap: Range) =>
  step(gap, { name: 'lose', reason, note: text });
export const later = (reason: ScheduleReason, after: number, ...gap: Range) =>
  step(gap, { name: 'schedule', reason, after });
export const until = (reason: ScheduleReason, fromNow: number, text: string, ...gap: Range) =>
  step(gap, { name: 'schedule', reason, fromNow, note: text });

export const waiting = (...ended: Range): Story => ({ ended, steps: [] });
export const story = (ended: Range, ...steps: Step[]): Story => ({ ended, steps });
export const mine = (ended: Range, ...steps: Step[]): Story => ({ ended, steps, mine: true });
export const again = (repeats: Range, ...steps: Step[]): Story => ({
  ended: [0, 0],
  steps,
  repeats,
});

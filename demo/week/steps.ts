/**
 * The steps of the orders in the demo's week. All durations are minutes of working time. A story
 * counts back from its end: `ended` is the time since the last step, and the gaps before the steps give
 * the times of the others and of the order's arrival.
 */
import type { ScheduleReason } from '../../src/orders/moves/move-fields.js';
import type { Move, StaffMove } from '../../src/orders/moves/move-contents.js';

type Range = readonly [least: number, most: number];

/** Who makes a step; by default the owner. */
export type By = 'manager' | 'client' | 'rule' | 'colleague';

type Plain<Name extends Move['name']> = Extract<Move, { name: Name }>;

export type StepAction =
  | Exclude<
      Plain<StaffMove>,
      Plain<'assign'> | Plain<'handOver'> | Plain<'schedule'> | Plain<'duplicate'>
    >
  | { readonly name: 'assign' }
  | { readonly name: 'handOver'; readonly note: string }
  | { readonly name: 'duplicate' }
  | { readonly name: 'hear'; readonly text: string }
  | { readonly name: 'addNote'; readonly note: string }
  | {
      readonly name: 'schedule';
      readonly reason: ScheduleReason;
      readonly note?: string;
      /** From the step, or from now (negative: already due). */
      readonly after?: number;
      readonly fromNow?: number;
    };

export interface Step {
  readonly gap: Range;
  readonly by?: By;
  readonly action: StepAction;
}

export interface Story {
  readonly ended: Range;
  readonly steps: readonly Step[];
  /** Whether the viewer owns it; by default a colleague. */
  readonly mine?: boolean;
  /** The time after the order of the previous story, which it duplicates. */
  readonly repeats?: Range;
}

export const step = (gap: Range, action: StepAction, by?: By): Step => ({
  gap,
  action,
  ...(by && { by }),
});

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
/** The client writes, and staff answer. */
export const wrote = (text: string, ...gap: Range) => step(gap, { name: 'hear', text }, 'client');
export const replied = (text: string, ...gap: Range) => step(gap, { name: 'reply', text });
export const settled = (...gap: Range) => step(gap, { name: 'settle' });
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

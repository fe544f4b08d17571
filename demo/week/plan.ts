/** The time of each order of the demo's week, and of each step in its story. */
import {
  addWorkingTime,
  type Calendar,
  londonDay,
  startOfLondonDay,
  subtractWorkingTime,
  workingTimeBetween,
} from '../../src/platform/kernel/working-hours.js';
import type { Chance } from './random.js';
import { closedStories } from './closed.js';
import { openStories } from './open.js';
import type { Step, Story } from './steps.js';
import { HOUR, MINUTE } from '../../src/platform/kernel/time.js';

/** An order that arrives this early may also have arrived outside working hours. */
const EARLY = 75 * MINUTE;

export interface PlannedStep extends Step {
  readonly at: Date;
}

export interface PlannedOrder {
  readonly arrivesAt: Date;
  readonly steps: readonly PlannedStep[];
  readonly mine: boolean;
  /** The order that it duplicates. */
  readonly repeated: PlannedOrder | null;
}

/** The week that ends now. */
export function planWeek(now: Date, calendar: Calendar, chance: Chance): PlannedOrder[] {
  const planned: PlannedOrder[] = [];
  let first: PlannedOrder | null = null;
  for (const story of [...openStories, ...closedStories]) {
    const order: PlannedOrder = story.repeats
      ? repetition(story, story.repeats, first!, calendar, chance)
      : original(story, now, calendar, chance);
    if (!story.repeats) first = order;
    planned.push(order);
  }
  return planned;
}

function original(story: Story, now: Date, calendar: Calendar, chance: Chance): PlannedOrder {
  const { mine = false } = story;
  let ago = within(story.ended, chance);
  const steps: PlannedStep[] = [];
  for (const step of story.steps.toReversed()) {
    steps.unshift({ ...step, at: subtractWorkingTime(now, ago, calendar) });
    ago += within(step.gap, chance);
  }
  const worked = subtractWorkingTime(now, ago, calendar);
  const arrivesAt = steps.length === 0 ? worked : outOfHours(worked, calendar, chance);
  return { arrivesAt, steps, mine, repeated: null };
}

function repetition(
  story: Story,
  after: readonly [number, number],
  repeated: PlannedOrder,
  calendar: Calendar,
  chance: Chance,
): PlannedOrder {
  const { mine = false } = story;
  const arrivesAt = new Date(repeated.arrivesAt.getTime() + within(after, chance));
  const steps: PlannedStep[] = [];
  let at = arrivesAt;
  for (const step of story.steps) {
    at = addWorkingTime(at, within(step.gap, chance), calendar);
    steps.push({ ...step, at });
  }
  return { arrivesAt, steps, mine, repeated };
}

function within([least, most]: readonly [number, number], chance: Chance): number {
  return Math.round((least + chance.number() * (most - least)) * MINUTE);
}

/** An arrival of the early morning, moved to the night or the weekend before. */
function outOfHours(arrivesAt: Date, calendar: Calendar, chance: Chance): Date {
  const midnight = startOfLondonDay(londonDay(arrivesAt));
  const worked = workingTimeBetween(midnight, arrivesAt, calendar);
  if (worked >= EARLY || chance.happens(0.3)) return arrivesAt;
  return new Date(arrivesAt.getTime() - worked - (0.5 + chance.number() * 14) * HOUR);
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import type { LintRule, LintWarning } from '../content/lint.js';
import { Tracks } from './track.js';

const MOST_EXAMPLES = 20;

/** What was promised against what happened, computed once a night and read from memory. */
@Injectable()
export class TracksService {
  current = new Tracks();
  private computedOn = '';
  private source: (today: string) => Promise<Tracks> = () => Promise.resolve(this.current);

  constructor(private readonly clock: Clock) {}

  /** By the feature that has the orders. @param source the tracks of the year before this day */
  register(source: (today: string) => Promise<Tracks>): void {
    this.source = source;
  }

  /** Computes the tracks, unless they are those of today. */
  async refresh(): Promise<void> {
    const today = londonDay(this.clock.now());
    if (this.computedOn === today) return;
    this.current = await this.source(today);
    this.computedOn = today;
  }

  /** The zones whose lead time is not kept, as a warning about the catalogue. */
  async warnings(off: readonly LintRule[]): Promise<LintWarning[]> {
    await this.refresh();
    const { late } = this.current;
    if (late.length === 0 || off.includes('lead-time-not-kept')) return [];
    const examples = late
      .slice(0, MOST_EXAMPLES)
      .map(
        ({ zone, promised, p80 }) => `${zone} promises ${promised} days, 80 % took up to ${p80}`,
      );
    return [{ rule: 'lead-time-not-kept', count: late.length, examples }];
  }
}

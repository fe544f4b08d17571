import type { SummaryReport } from '../reports.dto.js';
import { whole } from '../../platform/ui/parts.js';
import { type Change, changeOf, onlyAmount } from './change.js';
import { minutes, percent } from './chart-scale.js';
import { dayLabel, type Period, periodBefore } from './period.js';
import { amountsInWords } from './report-table.js';

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly change: Change | null;
}

/** The main figures, each with its change since the days before. */
export function Headline({ summary, period }: { summary: SummaryReport; period: Period }) {
  const before = periodBefore(period);
  return (
    <>
      <dl class="headline">
        {figuresOf(summary).map(({ name, value, note, change }) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <span class="figure">{value}</span>
              {change && <span class={classOfChange(change)}>{change.text}</span>}
              {note && <span class="hint">{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {`${isComparable(summary) ? 'Compared with' : 'There are no orders to compare with in'} ${dayLabel(before.from)} to ${dayLabel(before.to)}. Amounts are monthly prices, without VAT.`}
      </p>
    </>
  );
}

function isComparable({ before }: SummaryReport): boolean {
  return before.received + before.won + before.lost > 0;
}

function classOfChange({ isBetter }: Change): string {
  if (isBetter === null) return 'change';
  return isBetter ? 'change better' : 'change worse';
}

function figuresOf({ current, before }: SummaryReport): Figure[] {
  const change = (
    of: 'received' | 'inTime' | 'medianMinutes' | 'wonShare',
    about: Parameters<typeof changeOf>[2],
  ) => changeOf(current[of], before[of], about);
  const amountChange = (of: 'amounts' | 'wonAmounts') =>
    changeOf(onlyAmount(current[of], before[of]), onlyAmount(before[of], current[of]), {
      unit: 'relative',
      rise: 'better',
    });
  const share = (value: number | null) => (value === null ? '–' : percent(value));
  return [
    {
      name: 'Orders received',
      value: whole(current.received),
      note: `${amountsInWords(current.amounts)} per month`,
      change: change('received', { unit: 'relative', rise: 'better' }),
    },
    {
      name: 'Contacted within target',
      value: share(current.inTime),
      note: `${whole(current.contacts)} contacts logged`,
      change: change('inTime', { unit: 'points', rise: 'better' }),
    },
    {
      name: 'Median to first contact',
      value: current.medianMinutes === null ? '–' : minutes(current.medianMinutes),
      note: current.p90Minutes === null ? '' : `90th percentile ${minutes(current.p90Minutes)}`,
      change: change('medianMinutes', { unit: 'minutes', rise: 'worse' }),
    },
    {
      name: 'Won',
      value: share(current.wonShare),
      note: `${whole(current.won)} won, ${whole(current.lost)} lost`,
      change: change('wonShare', { unit: 'points', rise: 'better' }),
    },
    {
      name: 'Monthly price won',
      value: amountsInWords(current.wonAmounts),
      change: amountChange('wonAmounts'),
    },
  ];
}

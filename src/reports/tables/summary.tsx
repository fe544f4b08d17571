import { addDays } from '../../platform/kernel/time.js';
import { type Change, changeOf, onlyAmount, minutes, percent } from '../drawing/chart-scale.js';
import { amountsInWords, code } from '../drawing/columns.js';
import { dayLabel, type Period, periodBefore } from '../drawing/period.js';
import { reportTable } from '../drawing/report-table.js';
import { performance, type PerformanceRow, talliesOf } from './performance.js';
import { whole } from '../../platform/kernel/counts.js';

export const summary = reportTable({
  name: 'summary',
  title: 'Main figures',
  definition: 'The main figures of this period and of as many days before it.',
  empty: '',
  row: 'The figures of a period.',
  most: 2,
  wide: true,
  columns: {
    period: code('Period', '`current` or `before`: as many days before it.', {
      current: 'This period',
      before: 'The days before',
    }),
    ...performance,
  },
  count: async (from, query) => {
    const { days } = from.rangeOf(query);
    const [first, to] = [addDays(days[0]!, -days.length), addDays(days[0]!, -1)];
    const current = await talliesOf(from, query);
    const before = await talliesOf(from, { ...query, from: first, to });
    return [
      { period: 'current' as const, ...current.total.print() },
      { period: 'before' as const, ...before.total.print() },
    ];
  },
  draw: ([current, before], { period }) =>
    current !== undefined &&
    before !== undefined && <Headline current={current} before={before} period={period} />,
});

interface Compared {
  readonly current: PerformanceRow;
  readonly before: PerformanceRow;
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly change: Change | null;
}

/** The main figures, each with its change since the days before. */
function Headline({ current, before, period }: Compared & { period: Period }) {
  const days = periodBefore(period);
  return (
    <>
      <dl class="headline">
        {figuresOf({ current, before }).map(({ name, value, note, change }) => (
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
        {`${isComparable(before) ? 'Compared with' : 'There are no orders to compare with in'} ${dayLabel(days.from)} to ${dayLabel(days.to)}. Amounts are monthly prices, without VAT.`}
      </p>
    </>
  );
}

function isComparable(before: PerformanceRow): boolean {
  return before.received + before.won + before.lost > 0;
}

function classOfChange({ isBetter }: Change): string {
  if (isBetter === null) return 'change';
  return isBetter ? 'change better' : 'change worse';
}

function figuresOf({ current, before }: Compared): Figure[] {
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

import { sum } from '../report-figures.js';
import { chargeCategoryNames } from '../../orders/record/charge-states.js';
import { whole } from '../../platform/ui/parts.js';
import { Bars, Legend } from './charts.js';
import type { ReportKind } from './report-kinds.js';
import { amountColumns, amountsInWords, tableOf } from './report-table.js';

const series = [
  { series: 's1', name: 'Accepted' },
  { series: 's4', name: 'Not accepted' },
];

export const chargesReport: ReportKind = {
  name: 'charges',
  title: 'Extra charges',
  definition: 'Charges proposed in this period by category, and how many are accepted to date.',
  empty: 'No charges in this period.',
  show: async ({ charges }, period) => {
    const { items } = await charges.charges(period);
    const rows = items.map((row) => ({ ...row, name: chargeCategoryNames[row.category] }));
    const proposed = whole(sum(rows.map((row) => row.proposed)));
    const accepted = whole(sum(rows.map((row) => row.accepted)));
    return {
      drawing: rows.length > 0 && (
        <>
          <Legend series={series} />
          <Bars
            id="charges"
            title="Extra charges"
            description={`${proposed} charges proposed; ${accepted} of them are accepted.`}
            series={series}
            bars={rows.map((row) => ({
              label: row.name,
              values: [row.accepted, row.proposed - row.accepted],
              text: `${whole(row.accepted)} of ${whole(row.proposed)}${row.accepted === 0 ? '' : `, ${amountsInWords(row.acceptedAmounts)}`}`,
            }))}
          />
        </>
      ),
      table: tableOf(rows, {
        Category: ({ name }) => name,
        Proposed: (row) => row.proposed,
        Accepted: (row) => row.accepted,
        Rejected: ({ rejected }) => rejected,
        Lapsed: ({ lapsed }) => lapsed,
        Withdrawn: ({ withdrawn }) => withdrawn,
        'Awaiting an answer': ({ awaitingResponse }) => awaitingResponse,
        ...amountColumns(rows, 'proposed', ({ amounts }) => amounts),
        ...amountColumns(rows, 'accepted', ({ acceptedAmounts }) => acceptedAmounts),
      }),
    };
  },
};

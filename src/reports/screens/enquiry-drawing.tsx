import type { EnquiryRow } from '../enquiry-report.dto.js';
import { areaWords } from '../map/area-names.js';
import { whole } from '../../platform/ui/parts.js';
import { minutes } from './chart-scale.js';
import { Bars, Legend } from './charts.js';
import { MOST_BARS } from './report-drawings.js';
import type { ReportKind } from './report-kinds.js';
import { amountColumns, amountsInWords, minutesColumn, tableOf } from './report-table.js';

const series = [
  { series: 's1', name: 'With an offer' },
  { series: 's4', name: 'Without an offer' },
];

export const enquiriesReport: ReportKind = {
  name: 'enquiries',
  title: 'Enquiries and offers',
  definition:
    'Enquiries received in this period by postcode area, and their outcome to date. An enquiry counts once, however many offers answered it: its largest monthly price counts as offered. Times are working hours: half of the enquiries with an offer had their first one within that time.',
  empty: 'No enquiries in this period.',
  show: async ({ enquiries }, period) => {
    const { total, items } = await enquiries.enquiries(period);
    const median = total.medianMinutesToOffer;
    const figures = [
      `${whole(total.received)} enquiries, ${whole(total.offered)} with an offer`,
      ...(median === null
        ? []
        : [`half of these had their first offer within ${minutes(median)} of working time`]),
      `${amountsInWords(total.offeredAmounts)} per month offered, ${amountsInWords(total.wonAmounts)} won`,
    ].join('; ');
    return {
      drawing: items.length > 0 && (
        <>
          <p>{`${figures}.`}</p>
          <Legend series={series} />
          <Bars
            id="enquiries"
            title="Enquiries by postcode area"
            description={`${figures}.`}
            series={series}
            bars={items.slice(0, MOST_BARS).map(({ area, received, offered, won }) => ({
              label: areaWords(area),
              values: [offered, received - offered],
              text: `${whole(received)}, ${whole(won)} won`,
            }))}
          />
        </>
      ),
      table: tableOf(items, {
        Area: ({ area }) => ({ text: areaWords(area), value: area }),
        Received: ({ received }) => received,
        'With an offer': ({ offered }) => offered,
        ...minutesColumn('Half offered within', (row: EnquiryRow) => row.medianMinutesToOffer),
        Won: ({ won }) => won,
        Lost: ({ lost }) => lost,
        Expired: ({ expired }) => expired,
        Cancelled: ({ cancelled }) => cancelled,
        ...amountColumns(items, 'per month offered', ({ offeredAmounts }) => offeredAmounts),
        ...amountColumns(items, 'per month won', ({ wonAmounts }) => wonAmounts),
      }),
    };
  },
};

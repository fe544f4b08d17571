import type { ReportsService } from '../../follow-up/reports/reports.service.js';
import { type Period, periodQuery } from './period.js';
import {
  drawArrivals,
  drawDaily,
  drawFirstContact,
  drawLostReasons,
  drawOutcomes,
} from './order-drawings.js';
import {
  drawAge,
  drawConversion,
  drawDemand,
  drawPeople,
  type ReportDrawing,
} from './report-drawings.js';

export interface ReportKind {
  readonly name: string;
  readonly title: string;
  readonly definition: string;
  readonly empty: string;
  readonly now?: true;
  readonly show: (reports: ReportsService, period: Period) => Promise<ReportDrawing>;
}

export const reportKinds: readonly ReportKind[] = [
  {
    name: 'age',
    title: 'Open orders by first contact',
    definition:
      'Every open order, by whether somebody has spoken to the client, and if not, by how much of the working time for it has passed.',
    empty: 'No order is open.',
    now: true,
    show: async (reports) => drawAge(await reports.age()),
  },
  {
    name: 'people',
    title: 'Open orders by person',
    definition:
      'The open orders that each person has, those whose call-back is due, and those without a first contact after the deadline.',
    empty: 'Nobody has an open order.',
    now: true,
    show: async (reports) => drawPeople(await reports.people()),
  },
  {
    name: 'conversion',
    title: 'From checks to won orders',
    definition:
      'The checks of these days, those that found a product, the orders received without duplicates, and those of them that are won by now.',
    empty: 'No check was made and no order received in these days.',
    show: async (reports, period) => drawConversion(await reports.conversion(period)),
  },
  {
    name: 'arrivals',
    title: 'When orders arrive',
    definition: 'Orders received in these days, by weekday and hour in London.',
    empty: 'No order was received in these days.',
    show: async (reports, period) => drawArrivals(await reports.arrivals(period)),
  },
  {
    name: 'daily',
    title: 'Orders arrived and closed',
    definition:
      'Orders received and orders closed on each day in London, and how many were open at its end.',
    empty: 'No order arrived, was closed or was open in these days.',
    show: async (reports, period) => drawDaily(await reports.daily(period)),
  },
  {
    name: 'first-contact',
    title: 'Time to first contact',
    definition:
      'Working time from receipt to first contact of the orders received in each week, and the share that was contacted by the deadline.',
    empty: 'No order of these days has been contacted.',
    show: async (reports, period) => drawFirstContact(await reports.firstContact(period)),
  },
  {
    name: 'outcomes',
    title: 'Outcome by product',
    definition: 'What has become by now of the orders received in these days, most ordered first.',
    empty: 'No order was received in these days.',
    show: async (reports, period) => drawOutcomes(await reports.outcomes(period)),
  },
  {
    name: 'demand',
    title: 'Demand by area',
    definition:
      'Checks made in these days by postcode area, and those of them that found nothing to sell.',
    empty: 'No check was made in these days.',
    show: async (reports, period) => drawDemand(await reports.demand(period), periodQuery(period)),
  },
  {
    name: 'lost-reasons',
    title: 'Why orders were lost',
    definition: 'Orders closed as lost in these days, by the reason that was given.',
    empty: 'No order was closed as lost in these days.',
    show: async (reports, period) => drawLostReasons(await reports.lostReasons(period)),
  },
];

export function reportKind(name: string): ReportKind | undefined {
  return reportKinds.find((kind) => kind.name === name);
}

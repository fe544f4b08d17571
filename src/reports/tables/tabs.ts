import type { ReportTab } from '../drawing/report-table.js';
import { conversion, demand } from './demand.js';
import { charges, enquiries, quotes } from './deals.js';
import { age, byClient, byPerson, firstContact, people } from './people.js';
import { lostReasons, outcomesByProduct } from './outcomes.js';
import { margins } from './margins.js';
import { delivered } from './promised-and-delivered.js';
import { arrivals, daily, summary } from './overview.js';

/** In the order of the tabs. */
export const reportTabs = {
  overview: {
    name: 'overview',
    title: 'Overview',
    definition: 'The main figures, orders by day, what is open now, and how checks become orders.',
    reports: [
      {
        name: 'main-figures',
        title: 'Main figures',
        question: 'How did this period go, compared with the one before?',
        by: { Period: summary },
      },
      {
        name: 'received-and-closed',
        title: 'Received and closed',
        question: 'Do we keep up, and when do orders arrive?',
        by: { Day: daily, 'Weekday and hour': arrivals },
      },
      {
        name: 'open-now',
        title: 'Open now',
        question: 'What is open, how late is it, and who has it?',
        by: { 'First contact': age, Person: people },
      },
      {
        name: 'from-check-to-order',
        title: 'From check to order',
        question: 'How many checks become orders, and how many of these are won?',
        by: { Step: conversion },
      },
    ],
  },
  people: {
    name: 'people',
    title: 'People and clients',
    definition: 'How soon clients are contacted for the first time, and who wins their orders.',
    reports: [
      {
        name: 'contacts-and-wins',
        title: 'Contacts and wins',
        question: 'How fast is a client contacted, and how many orders are won?',
        by: { Week: firstContact, Person: byPerson, Client: byClient },
      },
    ],
  },
  demand: {
    name: 'demand',
    title: 'Demand',
    definition: 'Where availability is checked, and how orders end.',
    reports: [
      {
        name: 'demand-by-area',
        title: 'Demand by area',
        question: 'Where are products wanted, and where is there none?',
        by: { Area: demand },
      },
      {
        name: 'how-orders-end',
        title: 'How orders end',
        question: 'Which products are won, and why are orders lost?',
        by: { Product: outcomesByProduct, 'Reason lost': lostReasons },
      },
    ],
  },
  deals: {
    name: 'deals',
    title: 'Deals',
    definition: 'How enquiries and quotes end, and what was offered and charged.',
    reports: [
      {
        name: 'proposals',
        title: 'Offers, quotes and charges',
        question: 'How much of what is proposed to clients do they accept?',
        by: { 'Offers by area': enquiries, 'Quotes by client': quotes, Charges: charges },
      },
    ],
  },
  promised: {
    name: 'promised',
    title: 'Promised and delivered',
    definition: 'What was promised and what happened: lead times of services that went live.',
    reports: [
      {
        name: 'promised-and-delivered',
        title: 'Promised and delivered',
        question: 'Do services go live when we said they would?',
        by: { Zone: delivered },
      },
    ],
  },
  margins: {
    name: 'margins',
    title: 'Margins',
    definition: 'What orders of third-party networks sell for and cost.',
    reports: [
      {
        name: 'margin',
        title: 'Margin of third-party networks',
        question: 'What is left of the price after what the supplier charges?',
        by: { Supplier: margins },
      },
    ],
  },
} as const satisfies Readonly<Record<string, ReportTab>>;

export const allTabs: readonly ReportTab[] = Object.values(reportTabs);

const { margins: costs, ...tabs } = reportTabs;
const deals: ReportTab = { ...tabs.deals, reports: [...tabs.deals.reports, ...costs.reports] };

/** As pages. Everyone who sees them may read margins. Programs need a scope for that, so margins are a report of their own. */
export const pageTabs: readonly ReportTab[] = Object.values({ ...tabs, deals });

import type { ReportTab } from '../drawing/report-table.js';
import { age } from './age.js';
import { arrivals } from './arrivals.js';
import { charges } from './charges.js';
import { conversion } from './conversion.js';
import { daily } from './daily.js';
import { demand } from './demand.js';
import { enquiries } from './enquiries.js';
import { firstContact } from './first-contact.js';
import { lostReasons } from './lost-reasons.js';
import { margins } from './margins.js';
import { open } from './open.js';
import { outcomesByProduct } from './outcomes.js';
import { delivered } from './promised-and-delivered.js';
import { quotes } from './quotes.js';
import { byClient, byPerson, people } from './people.js';
import { summary } from './summary.js';

/** In the order of the tabs. */
export const reportTabs = {
  overview: {
    name: 'overview',
    title: 'Overview',
    definition: 'The main figures, what is open now, and orders by day.',
    tables: [summary, daily, open, conversion],
  },
  people: {
    name: 'people',
    title: 'People and clients',
    definition:
      'Orders by staff member and by API client, and how soon clients are contacted for the first time.',
    tables: [people, byPerson, byClient, age, firstContact],
  },
  demand: {
    name: 'demand',
    title: 'Demand',
    definition:
      'Where availability is checked, how orders of each product end, and when orders arrive.',
    tables: [demand, outcomesByProduct, arrivals],
  },
  deals: {
    name: 'deals',
    title: 'Deals',
    definition:
      'Why orders were lost, how enquiries and quotes end, and what was offered and charged.',
    tables: [lostReasons, enquiries, quotes, charges],
  },
  promised: {
    name: 'promised',
    title: 'Promised and delivered',
    definition: 'What was promised and what happened: lead times of services that went live.',
    tables: [delivered],
  },
  margins: {
    name: 'margins',
    title: 'Margins',
    definition: 'What orders of third-party networks sell for and cost.',
    tables: [margins],
  },
} as const satisfies Readonly<Record<string, ReportTab>>;

export const allTabs: readonly ReportTab[] = Object.values(reportTabs);

const { margins: costs, ...tabs } = reportTabs;
const deals: ReportTab = { ...tabs.deals, tables: [...tabs.deals.tables, ...costs.tables] };

/** As pages. Everyone who sees them may read margins. Programs need a scope for that, so margins are a report of their own. */
export const pageTabs: readonly ReportTab[] = Object.values({ ...tabs, deals });

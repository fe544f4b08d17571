import { createContext } from 'preact';
import type { StaffCaller } from '../access/caller.js';
import { isAtLeast, type StaffRole } from '../access/scopes.js';
import type { IconName } from './icons.js';

/** The numbers beside the links, by the key of their place, and `teamDue`. */
export type PlaceCounts = Readonly<Record<string, number>>;

/** Null where no one is signed in. */
export const NavigationCounts = createContext<PlaceCounts | null>(null);

/** Counts what the navigation shows to a staff member. */
export abstract class PlaceCounter {
  abstract ofViews(viewer: StaffCaller): Promise<PlaceCounts>;
}

interface NavigationItem {
  /** Pages name their place by it, and counts their link. */
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
  /** Below `/staff/`. */
  readonly path: string;
  /** Default `agent`. */
  readonly role?: StaffRole;
  /** The key that leads there. */
  readonly shortcut?: string;
  /** The topic of the help about it, below `/staff/help/`. */
  readonly help: string;
}

type NavigationSection = readonly [heading: string, places: readonly NavigationItem[]];

const all: readonly NavigationSection[] = [
  [
    'Orders and enquiries',
    [
      { key: 'waiting', name: 'Waiting', icon: 'inbox', path: 'queue', help: 'lists' },
      { key: 'mine', name: 'Mine', icon: 'user', path: 'queue?view=mine', help: 'lists' },
      { key: 'due', name: 'Due', icon: 'clock', path: 'queue?view=due&owner=me', help: 'lists' },
      { key: 'late', name: 'Late', icon: 'alert', path: 'queue?view=late', help: 'lists' },
      { key: 'open', name: 'All open', icon: 'list', path: 'queue?view=open', help: 'lists' },
      {
        key: 'deliveries',
        name: 'Deliveries',
        icon: 'box',
        path: 'queue?view=date-at-risk',
        help: 'deliveries',
      },
      { key: 'closed', name: 'Closed', icon: 'archive', path: 'queue?view=closed', help: 'lists' },
      {
        key: 'approvals',
        name: 'Approvals',
        icon: 'check',
        path: 'approvals',
        role: 'manager',
        help: 'approval',
      },
      { key: 'quotes', name: 'Quotes', icon: 'list', path: 'quotes', help: 'quotes' },
    ],
  ],
  [
    'Tools',
    [
      {
        key: 'check',
        name: 'Check a postcode',
        icon: 'pin',
        path: 'check',
        shortcut: 'p',
        help: 'check-a-postcode',
      },
    ],
  ],
  [
    'Insights',
    [
      {
        key: 'reports',
        name: 'Reports',
        icon: 'chart',
        path: 'reports',
        role: 'manager',
        help: 'reports',
      },
      { key: 'map', name: 'Map', icon: 'map', path: 'map', role: 'manager', help: 'the-map' },
    ],
  ],
  [
    'Administration',
    [
      {
        key: 'clients',
        name: 'API clients',
        icon: 'building',
        path: 'clients',
        role: 'admin',
        help: 'api-clients-and-tokens',
      },
      {
        key: 'members',
        name: 'Staff',
        icon: 'users',
        path: 'members',
        role: 'admin',
        help: 'staff-and-sign-in',
      },
      {
        key: 'catalogue',
        name: 'Catalogue',
        icon: 'box',
        path: 'catalogue',
        role: 'commercial',
        help: 'the-catalogue',
      },
      {
        key: 'notifications',
        name: 'Notifications',
        icon: 'bell',
        path: 'notifications',
        role: 'admin',
        help: 'notifications',
      },
      {
        key: 'audit',
        name: 'Audit trail',
        icon: 'history',
        path: 'audit',
        role: 'manager',
        help: 'audit-trail',
      },
    ],
  ],
];

/** The navigation for a role, without empty sections. */
export function navigationFor(role: StaffRole): readonly NavigationSection[] {
  return all
    .map(([heading, places]): NavigationSection => {
      return [heading, places.filter((one) => isAtLeast(role, one.role ?? 'agent'))];
    })
    .filter(([, places]) => places.length > 0);
}

/** The topic of the help about a place. @param here the key of the place */
export function helpAbout(here: string | undefined): string | undefined {
  return all.flatMap(([, places]) => places).find(({ key }) => key === here)?.help;
}

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
}

type NavigationSection = readonly [heading: string, places: readonly NavigationItem[]];

const all: readonly NavigationSection[] = [
  [
    'Orders and enquiries',
    [
      { key: 'waiting', name: 'Waiting', icon: 'inbox', path: 'queue' },
      { key: 'mine', name: 'Mine', icon: 'user', path: 'queue?view=mine' },
      { key: 'due', name: 'Due', icon: 'clock', path: 'queue?view=due&owner=me' },
      { key: 'late', name: 'Late', icon: 'alert', path: 'queue?view=late' },
      { key: 'open', name: 'All open', icon: 'list', path: 'queue?view=open' },
      { key: 'closed', name: 'Closed', icon: 'archive', path: 'queue?view=closed' },
      { key: 'approvals', name: 'Approvals', icon: 'check', path: 'approvals', role: 'manager' },
    ],
  ],
  [
    'Tools',
    [{ key: 'check', name: 'Check a postcode', icon: 'pin', path: 'check', shortcut: 'p' }],
  ],
  [
    'Insights',
    [
      { key: 'reports', name: 'Reports', icon: 'chart', path: 'reports', role: 'manager' },
      { key: 'map', name: 'Map', icon: 'map', path: 'map', role: 'manager' },
    ],
  ],
  [
    'Administration',
    [
      { key: 'clients', name: 'API clients', icon: 'building', path: 'clients', role: 'admin' },
      { key: 'members', name: 'Staff', icon: 'users', path: 'members', role: 'admin' },
      { key: 'catalogue', name: 'Catalogue', icon: 'box', path: 'catalogue', role: 'admin' },
      {
        key: 'notifications',
        name: 'Notifications',
        icon: 'bell',
        path: 'notifications',
        role: 'admin',
      },
      { key: 'audit', name: 'Audit trail', icon: 'history', path: 'audit', role: 'manager' },
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

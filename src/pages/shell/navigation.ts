import { createContext } from 'preact';
import { isAtLeast, type StaffRole } from '../../access/scopes.js';
import type { ViewCounts } from '../../follow-up/queue/counts.service.js';
import type { IconName } from './icons.js';

/** The numbers beside the links; null where no one is signed in. */
export const NavigationCounts = createContext<ViewCounts | null>(null);

interface NavigationItem {
  /** Pages name their place by it, and counts their link. */
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
  readonly path: string;
  readonly role: StaffRole;
  /** The key that leads there. */
  readonly shortcut?: string;
}

type NavigationSection = readonly [heading: string, places: readonly NavigationItem[]];

const all: readonly NavigationSection[] = [
  [
    'Orders',
    [
      { key: 'waiting', name: 'Waiting', icon: 'inbox', path: '/staff/queue', role: 'agent' },
      { key: 'mine', name: 'Mine', icon: 'user', path: '/staff/queue?view=mine', role: 'agent' },
      {
        key: 'due',
        name: 'Due',
        icon: 'clock',
        path: '/staff/queue?view=due&owner=me',
        role: 'agent',
      },
      { key: 'late', name: 'Late', icon: 'alert', path: '/staff/queue?view=late', role: 'agent' },
      {
        key: 'open',
        name: 'All open',
        icon: 'list',
        path: '/staff/queue?view=open',
        role: 'agent',
      },
      {
        key: 'closed',
        name: 'Closed',
        icon: 'archive',
        path: '/staff/queue?view=closed',
        role: 'agent',
      },
    ],
  ],
  [
    'Enquiries',
    [
      {
        key: 'approvals',
        name: 'Approvals',
        icon: 'check',
        path: '/staff/approvals',
        role: 'manager',
      },
    ],
  ],
  [
    'Availability',
    [
      {
        key: 'check',
        name: 'Check a postcode',
        icon: 'pin',
        path: '/staff/check',
        role: 'agent',
        shortcut: 'p',
      },
      { key: 'reports', name: 'Reports', icon: 'chart', path: '/staff/reports', role: 'manager' },
      { key: 'map', name: 'Map', icon: 'map', path: '/staff/map', role: 'manager' },
    ],
  ],
  [
    'Administration',
    [
      {
        key: 'clients',
        name: 'API clients',
        icon: 'building',
        path: '/staff/clients',
        role: 'admin',
      },
      { key: 'members', name: 'Staff', icon: 'users', path: '/staff/members', role: 'admin' },
      { key: 'catalogue', name: 'Catalogue', icon: 'box', path: '/staff/catalogue', role: 'admin' },
      {
        key: 'notifications',
        name: 'Notifications',
        icon: 'bell',
        path: '/staff/notifications',
        role: 'admin',
      },
      { key: 'audit', name: 'Audit trail', icon: 'history', path: '/staff/audit', role: 'manager' },
    ],
  ],
];

/** The navigation for a role, without empty sections. */
export function navigationFor(role: StaffRole): readonly NavigationSection[] {
  return all
    .map(([heading, places]): NavigationSection => {
      return [heading, places.filter((one) => isAtLeast(role, one.role))];
    })
    .filter(([, places]) => places.length > 0);
}

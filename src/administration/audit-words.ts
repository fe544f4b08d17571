/** The words of the audit trail for the codes in its entries. */
import { type AuditAction, auditActions } from '../platform/audit/audit-actions.js';
import type { Actor } from '../platform/audit/audit.service.js';
import { railNames } from '../catalogue/content/review/guard-rails.js';
import { chargeCategoryNames } from '../orders/record/charge-states.js';
import {
  cancelReasonNames,
  serviceReasonNames,
  contactChannelNames,
  contactResultNames,
  lostReasonNames,
  nameOf,
  scheduleReasonNames,
} from '../orders/moves/move-fields.js';
import { undoneWords } from '../orders/moves/move-words.js';
import { stateInfo } from '../orders/record/order-states.js';
import { limitWords } from './clients.js';
import { amountInWords } from '../orders/staff/order-words.js';
import { roleNames } from '../platform/access/scopes.js';
import { upperFirst } from '../platform/kernel/text.js';

export const actorTypes: Readonly<Record<Actor['type'], string>> = {
  client: 'API client',
  staff: 'staff',
  operator: 'command line',
  system: 'the service',
};

/** For the filter, in this order; and for one subject. */
export const subjectWords = {
  order: { many: 'Orders and enquiries', one: 'Order' },
  'test-order': { many: 'Test orders', one: 'Test order' },
  client: { many: 'API clients', one: 'API client' },
  token: { many: 'Tokens', one: 'Token' },
  webhook: { many: 'Webhooks', one: 'Webhook' },
  staff: { many: 'Staff', one: 'Staff member' },
  'sign-in': { many: 'Failed sign-ins (unknown user)', one: 'Sign-in' },
  catalogue: { many: 'Catalogue versions', one: 'Catalogue version' },
  'postcode-register': { many: 'Postcode register', one: 'Postcode register' },
  notification: { many: 'Notifications', one: 'Notification' },
  export: { many: 'Exports', one: 'Export' },
  key: { many: 'Secret keys', one: 'Secret key' },
  database: { many: 'Database', one: 'Database' },
} as const satisfies Readonly<Record<string, { readonly many: string; readonly one: string }>>;

/** The type of a subject in words; an unknown type as it is. */
export function subjectWord(type: string): string {
  return Object.hasOwn(subjectWords, type)
    ? subjectWords[type as keyof typeof subjectWords].one
    : type;
}

/** Actions whose code does not say what happened. */
const actions: Readonly<Record<string, string>> = {
  activated: 'Published',
  began: 'Started',
  ended: 'Finished',
  erased: 'Personal data erased',
  'identity-linked': 'Linked to the sign-in provider',
  'link-made': 'Password link created',
  lost: 'Closed as lost',
  marked_duplicate: 'Closed as a duplicate',
  noted: 'Note added',
  offer_refused: 'Offer not approved',
  offer_retracted: 'Last open offer withdrawn',
  offer_submitted: 'Approval of an offer requested',
  offered: 'Offer sent',
  'old secrets dropped': 'Earlier signing secrets deleted',
  'password-accepted': 'Password accepted, second factor asked for',
  'quote-erased': 'Personal data of a quote erased',
  'quote-made': 'Quote made',
  'quote-withdrawn': 'Quote withdrawn',
  'quote-restored': 'Withdrawal of a quote undone',
  'quote-unsent': 'Sending of a quote undone',
  'recovery-codes-made': 'Recovery codes created',
  released: 'Returned to the queue',
  resealed: 'Encrypted again with the new key',
  resent: 'Retried',
  'role-set': 'Role changed',
  'rolled-back': 'Restored',
  'second-factor-set': 'Second factor set up',
  'secret added': 'Signing secret added',
  'sign-in-failed': 'Sign-in failed',
  'watch-changed': 'Watch changed',
  'watch-erased': 'Personal data of a watch erased',
  'watch-made': 'Watch made',
  'watch-removed': 'Watch removed',
  won: 'Closed as won',
} satisfies Partial<Record<AuditAction, string>>;

/** An action in words: "Note added", "Contact logged". */
export function auditAction(action: string): string {
  return Object.hasOwn(actions, action)
    ? actions[action]!
    : upperFirst(action.replaceAll(/[-_]/g, ' '));
}

/** The actions of the filter, by their words. */
export const actionChoices = auditActions
  .map((value) => ({ value, name: auditAction(value) }))
  .sort((a, b) => a.name.localeCompare(b.name));

/** Names of details whose code, in words, would not say what they are. */
const detailNames: Readonly<Record<string, string>> = {
  accepted: 'Reason',
  actorName: 'By',
  address: 'Network address',
  client: 'API client',
  clientId: 'API client',
  compatibility: 'API version',
  nearNet: 'prices by distance',
  interconnects: 'interconnects',
  committedDate: 'Committed date',
  contentOf: 'Content of version',
  dueAt: 'Due',
  enquiryId: 'Enquiry',
  expiresAt: 'Expires',
  externalReference: 'External reference',
  file: 'File',
  hostAfter: 'Host after',
  hostBefore: 'Host before',
  live: 'Live postcodes',
  nextActionAt: 'Next step',
  of: 'List',
  offer: 'Offers',
  ownerName: 'New owner',
  rails: 'Safety check',
  secondFactor: 'Second factor',
  setupPrice: 'Set-up price',
  since: 'From',
  subjectId: 'Reference',
  subjectType: 'About',
  terminated: 'Terminated postcodes',
  test: 'For the sandbox',
  token: 'By token',
  until: 'Before',
  uprn: 'UPRN',
  validUntil: 'Valid until',
  what: 'Checked',
  why: 'Why',
  ...limitWords,
};

export function detailName(name: string): string {
  if (Object.hasOwn(detailNames, name)) return detailNames[name]!;
  return upperFirst(
    name
      .replaceAll(/[-_]/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase(),
  );
}

type Names = Readonly<Record<string, string>>;

const states: Names = Object.fromEntries(
  Object.entries(stateInfo).map(([state, { name }]) => [state, name]),
);
const statesAndRoles: Names = { ...states, ...roleNames };

/** The names of codes, by detail: of those that hold a code and never a person's own words. */
const codes: Readonly<Record<string, Names>> = {
  by: { command: 'command line', link: 'password link', provider: 'sign-in provider' },
  category: chargeCategoryNames,
  channel: contactChannelNames,
  from: statesAndRoles,
  method: { link: 'password link', provider: 'sign-in provider' },
  of: {
    audit: 'audit trail',
    changes: 'changes of the catalogue',
    files: 'files of the catalogue',
  },
  rails: railNames,
  reason: {
    ...scheduleReasonNames,
    ...serviceReasonNames,
    ...cancelReasonNames,
    ...lostReasonNames,
  },
  result: contactResultNames,
  secondFactor: { recovery: 'recovery code' },
  source: { telephone: 'By phone', 'in advance': 'Agreed in advance' },
  subjectType: Object.fromEntries(
    Object.entries(subjectWords).map(([type, { many }]) => [type, many]),
  ),
  to: statesAndRoles,
  what: { link: 'password link', provider: 'sign-in provider' },
};

/** A value in words: codes by name, lists with commas, yes and no. */
export function detailValue(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const inWords = (text: string) => textInWords(name, text);
  if (typeof value === 'string') return inWords(value);
  if (typeof value === 'number') return String(value);
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value.map(inWords).join(', ') : JSON.stringify(value);
}

function textInWords(name: string, text: string): string {
  if (name === 'action') return auditAction(text);
  if (name === 'amount') return amountInWords(text);
  if (name === 'undone') return undoneWords(text);
  return Object.hasOwn(codes, name) ? nameOf(codes[name]!, text) : text;
}

/** Ids and hashes, which say nothing to people, and what other details say already. */
const unshown: ReadonlySet<string> = new Set([
  ...['contentHash', 'session', 'version', 'ownerId', 'previousOwnerId', 'orderId', 'issuer'],
  ...['chargeId', 'messageId', 'watchId', 'seconds'],
]);

export type DetailWords = readonly (readonly [name: string, label: string, value: unknown])[];

/**
 * The details to show. An edit has one row for each changed value: before and after; the filter of an export
 * has one for each of its fields.
 */
export function shownDetails(details: Readonly<Record<string, unknown>>): DetailWords {
  const { before, after, changed, filter, ...rest } = details;
  const [old, next] = [recordOf(before), recordOf(after)];
  const edits = Object.keys(next).map(
    (name) =>
      [
        name,
        detailName(name),
        `${detailValue(name, old[name])} → ${detailValue(name, next[name])}`,
      ] as const,
  );
  const unnamed = Array.isArray(changed)
    ? changed.filter(
        (name): name is string => typeof name === 'string' && !Object.hasOwn(next, name),
      )
    : [];
  // The state stayed: the action says what was done in it.
  const isSame = rest.from === rest.to;
  const isEmpty = (value: unknown) =>
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0);
  return [
    ...edits,
    ...unnamed.map((name) => [name, detailName(name), 'changed'] as const),
    ...Object.entries({ ...rest, ...recordOf(filter) })
      .filter(([name, value]) => !unshown.has(name) && !isEmpty(value))
      .filter(([name]) => !isSame || !(name === 'from' || name === 'to'))
      .map(([name, value]) => [name, detailName(name), value] as const),
  ];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}

/** What an amendment changes in an order or an enquiry, in words: pure functions. */
import { daysInWords, type PreferredDays, type SiteDetails } from './site-details.dto.js';

/** The values of fields, in words. A field that is not stated has none. */
export type StatedFacts = Readonly<Record<string, string>>;

export interface AmendedFacts {
  /** The names of the fields. */
  readonly changed: readonly string[];
  readonly before: StatedFacts;
  readonly after: StatedFacts;
}

/** An amendment as its order keeps it. */
export interface AmendmentRecord extends AmendedFacts {
  /** Of the order, after the amendment: its audit entry has the same. */
  readonly version: number;
}

/** Of the amendments of one order, as many keep their values: each is read with the order. */
const MOST_KEPT = 20;

interface AmendableOrder {
  readonly clientReference: string | null;
  readonly contactName: string | null;
  readonly contactEmail: string | null;
  readonly contactPhone: string | null;
  readonly details: SiteDetails | null;
  readonly preferredDays: PreferredDays | null;
}

interface AmendedField {
  readonly label: string;
  /** Its values name no person: the audit trail has them. */
  readonly isOpen?: true;
  readonly of: (order: AmendableOrder) => string | null | undefined;
}

const fields: Readonly<Record<string, AmendedField>> = {
  reference: { label: 'client reference', of: (order) => order.clientReference },
  'contact.name': { label: 'contact name', of: (order) => order.contactName },
  'contact.email': { label: 'contact email', of: (order) => order.contactEmail },
  'contact.phone': { label: 'contact phone', of: (order) => order.contactPhone },
  'details.organisation': { label: 'organisation', of: ({ details }) => details?.organisation },
  'details.address': { label: 'address', of: ({ details }) => details?.address?.join(', ') },
  'details.floor': { label: 'floor', of: ({ details }) => details?.floor },
  'details.room': { label: 'room', of: ({ details }) => details?.room },
  'details.siteContact': {
    label: 'site contact',
    of: ({ details }) => {
      const { name, phone, email } = details?.siteContact ?? {};
      return [name, phone, email].filter((part) => part).join(', ');
    },
  },
  'details.interconnect': {
    label: 'interconnect',
    isOpen: true,
    of: ({ details }) => details?.interconnect,
  },
  'preferredDays.days': {
    label: 'preferred days',
    isOpen: true,
    of: ({ preferredDays: days }) => days && daysInWords({ days: days.days }),
  },
  'preferredDays.note': {
    label: 'note on preferred days',
    of: ({ preferredDays }) => preferredDays?.note,
  },
};

/** What differs; null if nothing does. */
export function amendedBetween(old: AmendableOrder, next: AmendableOrder): AmendedFacts | null {
  const [before, after]: Record<string, string>[] = [{}, {}];
  const changed = Object.entries(fields).flatMap(([name, { of }]) => {
    const [from, to] = [of(old) || null, of(next) || null];
    if (from === to) return [];
    if (from !== null) before![name] = from;
    if (to !== null) after![name] = to;
    return name;
  });
  return changed.length === 0 ? null : { changed, before: before!, after: after! };
}

/** For the audit trail, which an erasure does not search: without values that may name a person. */
export function openFacts({ changed, before, after }: AmendedFacts): AmendedFacts {
  const open = (values: StatedFacts) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.isOpen));
  return { changed, before: open(before), after: open(after) };
}

/** The amendments that an order keeps after another one. */
export function keptWith(
  kept: readonly AmendmentRecord[] | null,
  last: AmendmentRecord,
): readonly AmendmentRecord[] {
  return [...(kept ?? []), last].slice(-MOST_KEPT);
}

/** `Floor`, `2 → 3` for each field; no values where they are not kept any more. */
export function amendedRows({ changed, before, after }: AmendedFacts): [string, string][] {
  return changed.map((name) => {
    const [from, to] = [before[name], after[name]];
    const values = from ?? to;
    const label = fields[name]?.label ?? name;
    return [label, values === undefined ? '' : `${from ?? 'none'} → ${to ?? 'none'}`];
  });
}

/** `floor (2 → 3), contact phone` */
export function changesInWords(amended: AmendedFacts): string {
  const rows = amendedRows(amended);
  return rows.map(([label, values]) => (values === '' ? label : `${label} (${values})`)).join(', ');
}

import { ApiSchema, OmitType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import type { Interconnect } from '../../platform/access/caller.js';
import {
  IsMailAddress,
  IsOptionalText,
  IsText,
  IsTextUpTo,
  IsOptionalObject,
} from '../../platform/http/field-rules.js';
import { NOT_ONE_LINE, ONE_LINE } from '../../platform/kernel/text.js';
import { Problem } from '../../platform/problems/problem.js';

@ApiSchema({ description: 'The person at the site whom engineers ask for.' })
export class SiteContact {
  /** Who to ask for: one line. @kind person */
  @IsText(120)
  name: string;

  /** Phone number, preferably with its country code. @kind phone */
  @IsOptionalText(40)
  phone?: string;

  /** Email address. @kind email */
  @IsOptional()
  @IsTextUpTo(254)
  @IsMailAddress()
  email?: string;
}

@ApiSchema({
  description: 'Where in the building the service ends, and at which interconnect it starts.',
})
export class SiteDetails {
  /** The organisation at the site: one line. @example "Fernhill Primary School" */
  @IsOptionalText(120)
  organisation?: string;

  /** From 1 to 4 lines without the postcode. @maxItems 4 @example ["Unit 3", "12 Curtain Road"] */
  @IsOptional()
  @IsArray({ message: 'Must be a list of lines.' })
  @ArrayMinSize(1, { message: 'Must have at least one line.' })
  @ArrayMaxSize(4, { message: 'Must have at most 4 lines.' })
  @IsString({ each: true, message: 'Must be a list of lines.' })
  @MaxLength(120, { each: true, message: 'Each line must have at most 120 characters.' })
  @Matches(ONE_LINE, { each: true, message: NOT_ONE_LINE })
  address?: string[];

  /** The floor: one line. @example "2" */
  @IsOptionalText(40)
  floor?: string;

  /** The room: one line. @example "Comms room 2.14" */
  @IsOptionalText(40)
  room?: string;

  /** The person at the site whom engineers ask for. */
  @IsOptionalObject(() => SiteContact)
  siteContact?: SiteContact;

  /** The code of one of the client's interconnects: `GET me` lists them. @kind interconnect */
  @IsOptionalText(32)
  interconnect?: string;
}

export const weekdayNames = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} as const;
export type Weekday = keyof typeof weekdayNames;
const weekdays = Object.keys(weekdayNames) as Weekday[];

@ApiSchema({ description: 'The days on which the site contact can let an engineer in.' })
export class PreferredDays {
  /** `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`. @maxItems 7 @example ["mon", "thu"] */
  @IsArray({ message: 'Must be a list of days, such as mon.' })
  @ArrayMinSize(1, { message: 'Name at least one day.' })
  @ArrayMaxSize(7, { message: 'Name each day once.' })
  @IsIn(weekdays, { each: true, message: `Each day must be one of ${weekdays.join(', ')}.` })
  days: Weekday[];

  /** Anything else about these days: one line. @example "After 10:00." */
  @IsOptionalText(200)
  note?: string;
}

/** In the order of the week, each day once. */
export function sortedDays({ days, note }: PreferredDays): PreferredDays {
  const named = weekdays.filter((day) => days.includes(day));
  return { days: named, ...(note ? { note } : {}) };
}

/** `Monday, Thursday (after 10:00)` */
export function daysInWords({ days, note }: PreferredDays): string {
  const named = days.map((day) => weekdayNames[day]).join(', ');
  return note === undefined ? named : `${named} (${note})`;
}

@ApiSchema({ description: 'The days on which the site contact can let an engineer in.' })
export class PreferredDaysView extends PreferredDays {}

@ApiSchema({ description: 'The person at the site whom engineers ask for.' })
export class SiteContactView extends SiteContact {}

@ApiSchema({ description: 'Where in the building the service ends, as far as it is stated.' })
export class SiteDetailsView extends OmitType(SiteDetails, ['siteContact']) {
  /** The person at the site whom engineers ask for. */
  siteContact?: SiteContactView;
}

export class InterconnectRequired extends Problem {
  constructor() {
    super('interconnect-required');
  }
}

export class UnknownInterconnect extends Problem {
  constructor(code: string) {
    super('unknown-interconnect', `You have no interconnect ${JSON.stringify(code)}.`);
  }
}

/** Field by field, what is stated last; null where nothing is. */
export function mergedDetails(
  ...all: readonly (SiteDetails | null | undefined)[]
): SiteDetails | null {
  const stated = all.flatMap((details) =>
    Object.entries(details ?? {}).filter(([, value]) => value !== undefined && value !== null),
  );
  return stated.length === 0 ? null : Object.fromEntries(stated);
}

/** What of them may name a person goes; the interconnect is the operator's. */
export function withoutPersons(details: SiteDetails | null): SiteDetails | null {
  return details?.interconnect === undefined ? null : { interconnect: details.interconnect };
}

/** What `withoutPersons` leaves out: `details.floor`. */
export function personalDetails(details: SiteDetails | null): string[] {
  const names = Object.keys(details ?? {}).filter((name) => name !== 'interconnect');
  return names.map((name) => `details.${name}`);
}

/** @returns why an order may not have these details; null if it may */
export function interconnectFault(
  details: SiteDetails | null,
  interconnects: readonly Interconnect[],
  isNeeded: boolean,
): InterconnectRequired | UnknownInterconnect | null {
  const code = details?.interconnect;
  if (code === undefined) return isNeeded ? new InterconnectRequired() : null;
  return interconnects.some((interconnect) => interconnect.code === code)
    ? null
    : new UnknownInterconnect(code);
}

/** @throws {InterconnectRequired | UnknownInterconnect} */
export function requireInterconnect(
  details: SiteDetails | null | undefined,
  { interconnects }: { readonly interconnects: readonly Interconnect[] },
  isNeeded: boolean,
): void {
  const fault = interconnectFault(mergedDetails(details), interconnects, isNeeded);
  if (fault) throw fault;
}

/** For people, in the order in which one walks in: `Fernhill Primary School`, `12 Curtain Road`, `floor 2`. */
export function detailsInWords({
  organisation,
  address = [],
  floor,
  room,
  siteContact,
  interconnect,
}: SiteDetails): string[] {
  const { name, phone, email } = siteContact ?? {};
  return [
    organisation ?? [],
    ...address,
    floor === undefined ? [] : `floor ${floor}`,
    room === undefined ? [] : `room ${room}`,
    siteContact ? `ask for ${[name, phone, email].filter((part) => part).join(', ')}` : [],
    interconnect === undefined ? [] : `interconnect ${interconnect}`,
  ].flat();
}

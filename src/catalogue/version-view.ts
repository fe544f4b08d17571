import type { CalendarDayView, VersionView } from './catalogue.dto.js';
import type { CalendarDay } from './content/browse/calendar.js';
import type { Actor } from '../platform/audit/audit.service.js';
import { shownRails } from './content/review/guard-rails.js';
import { seesCosts } from './versions/costs.service.js';
import { type CatalogueVersion, filesHash } from './versions/catalogue-version.entity.js';
import { PathParameter } from '../platform/http/described.js';
import { VersionNotFound } from './versions/catalogue.errors.js';

/** @throws {VersionNotFound} */
export function readVersionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new VersionNotFound();
}

/** The `number` of a catalogue version in the path. */
export const NumberParameter = () =>
  PathParameter(
    {
      name: 'number',
      description: 'The number of a catalogue version.',
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 999_999_999, example: 7 },
    },
    { transform: readVersionNumber },
  );

/** The version for the API and the command line. */
export function versionView(
  { sourceHash, contentHash, rails, adjustment: _adjustment, ...version }: CatalogueVersion,
  reader: Actor,
): VersionView {
  // The format version in front of the hash is internal.
  return {
    ...version,
    contentHash: filesHash({ sourceHash, contentHash }).replace(/^v\d+:/, ''),
    rails: shownRails(rails ?? [], seesCosts(reader)),
  };
}

export function calendarView(calendar: readonly CalendarDay[]): CalendarDayView[] {
  return calendar.map(({ zonesOpened, zonesClosed, ...day }) => ({
    ...day,
    zonesOpened: [...zonesOpened],
    zonesClosed: [...zonesClosed],
  }));
}

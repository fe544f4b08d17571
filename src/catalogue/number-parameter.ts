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

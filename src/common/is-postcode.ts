import { ValidateBy } from 'class-validator';
import { parsePostcode, Postcode } from './postcode.js';

/** The text is a UK postcode, in any case and spacing. */
export const IsPostcode = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPostcode',
    validator: {
      validate: (value) => typeof value === 'string' && parsePostcode(value) instanceof Postcode,
      defaultMessage: (context) => reasonOf(context?.value),
    },
  });

function reasonOf(value: unknown): string {
  if (typeof value !== 'string') return 'Must be a text.';
  const refusal = parsePostcode(value);
  return refusal instanceof Postcode ? '' : refusal.detail;
}

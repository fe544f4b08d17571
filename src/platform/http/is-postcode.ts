import { ValidateBy } from 'class-validator';
import { parsePostcode, Postcode } from '../kernel/postcode.js';
import { isSandboxPostcode } from '../kernel/sandbox-postcodes.js';

/** A UK postcode, in any case and spacing, or one of the sandbox, which services check by caller. */
export const IsPostcode = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPostcode',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        (parsePostcode(value) instanceof Postcode || isSandboxPostcode(value)),
      defaultMessage: (context) => reasonOf(context?.value),
    },
  });

function reasonOf(value: unknown): string {
  if (typeof value !== 'string') return 'Must be a text.';
  const refusal = parsePostcode(value);
  return refusal instanceof Postcode ? '' : refusal.detail;
}

/** The fields of orders and enquiries that staff take down for a caller. */
import { lowerFirst } from '../platform/kernel/text.js';
import type { ValidationFailed } from '../platform/problems/problem.js';
import type { FormField } from '../platform/ui/forms/form-spec.js';

export const contactFields: readonly FormField[] = [
  { name: 'name', label: 'Name', most: 120, input: { autofocus: true } },
  { name: 'phone', label: 'Phone', most: 40, input: { type: 'tel' } },
  { name: 'email', label: 'Email', most: 254, input: { type: 'email' } },
];

export const otherFields: readonly FormField[] = [
  {
    name: 'reference',
    label: 'Client reference (optional)',
    hint: 'For example, their purchase order number.',
    most: 64,
  },
  {
    name: 'notes',
    kind: 'long',
    label: 'Note',
    hint: "Internal note for the team. The client can't see it.",
    most: 2_000,
  },
];

/**
 * The faults of a request, by the field of the form.
 * @param fields those of the form; the first one shows the faults of what it has no field for
 */
export function faultsOf(
  { errors }: ValidationFailed,
  fields: readonly FormField[],
): Map<string, string> {
  return new Map(
    errors.map(({ pointer, detail }) => {
      const last = pointer.slice(pointer.lastIndexOf('/') + 1);
      const name = last === 'productCode' ? 'product' : last;
      const field = fields.find((one) => one.name === name);
      return [
        field?.name ?? fields[0]!.name,
        `${field?.label ?? 'Request'}: ${lowerFirst(detail)}`,
      ];
    }),
  );
}

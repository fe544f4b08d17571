import type { ApiClient } from '../../clients/api-client.entity.js';
import { clientRules, labelRule } from '../../clients/client-rules.js';
import type { ClientLimits } from '../../access/caller.js';
import { clientScopes } from '../../access/scopes.js';
import { fieldsOf, type FormField, numberField } from '../forms/form-spec.js';
import type { FormPageSpec } from '../forms/form-page.js';

export const newClientForm = {
  title: 'Add an API client',
  here: 'clients',
  action: '/staff/clients',
  button: 'Add',
  cancel: '/staff/clients',
  fields: [
    ...fieldsOf(clientRules, {
      name: { label: 'Name of the company' },
      contactName: { label: 'Contact name' },
      contactEmail: { label: 'Email', input: { type: 'email' } },
      contactPhone: { label: 'Phone', input: { type: 'tel' } },
      priceList: {
        label: 'Price list',
        hint: 'As prices.csv of the catalogue names it.',
        first: 'standard',
      },
    }),
    {
      kind: 'tick',
      name: 'legacyFieldNames',
      label: 'Also send the misspelt key of version 0.2.0',
      hint: 'For clients that were generated from it: bandwidthCapactity.',
    },
  ],
} satisfies FormPageSpec;

export const tokenFields: readonly FormField[] = [
  {
    ...labelRule,
    label: 'What it is for',
    hint: "To tell tokens apart: production, Grace's tests.",
  },
  {
    kind: 'ticks',
    name: 'scope',
    label: 'Scopes',
    choices: clientScopes.map((scope) => ({ value: scope, name: scope })),
    missing: 'Choose at least one scope.',
  },
  numberField(
    { name: 'days', label: 'Valid for', hint: 'Days, from 1 to 3650.', first: '365' },
    { from: 1, to: 3_650 },
  ),
  {
    kind: 'tick',
    name: 'test',
    label: 'For the sandbox',
    hint: 'A test token places no real orders.',
  },
];

const limits = {
  lookupsPerMinute: 'Checks per minute',
  lookupBurst: 'Checks per second',
  ordersPerMinute: 'Orders per minute',
  inFlight: 'Concurrent requests',
} as const;
export const limitNames = Object.keys(limits) as readonly (keyof typeof limits)[];

interface OwnLimits {
  readonly client: ApiClient;
  /** The limits of clients that have none of their own. */
  readonly standard: Readonly<Record<keyof ClientLimits, number>>;
}

export function limitFields({ client, standard }: OwnLimits): FormField[] {
  return limitNames.map((name) =>
    numberField(
      {
        name,
        label: limits[name],
        hint: `Default: ${standard[name].toLocaleString('en-GB')}`,
        first: String(client[name] ?? ''),
      },
      { from: 1, to: name === 'inFlight' ? 100_000 : 10_000_000, optional: true },
    ),
  );
}

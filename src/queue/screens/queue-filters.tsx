import type { StaffPerson } from '../../orders/staff/moves.dto.js';
import type { FieldChoice } from '../../platform/ui/forms/fields.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { Fields } from '../../platform/ui/forms/form-view.js';
import { activeFilters, type FilterName, queueAddress, type QueueState } from './queue-state.js';
import { isOrderState, stateInfo } from '../../orders/record/order-states.js';

export interface FilterChoices {
  readonly people: readonly StaffPerson[];
  readonly products: readonly FieldChoice[];
  readonly families: readonly FieldChoice[];
  readonly bandwidths: readonly FieldChoice[];
  readonly terms: readonly FieldChoice[];
  readonly client: FieldChoice | null;
}

interface FilterProps {
  readonly state: QueueState;
  readonly choices: FilterChoices;
}

function filterFields({ people, products, families, bandwidths, terms }: FilterChoices) {
  const any = { value: '', name: 'Any' };
  const choice = <N extends FilterName>(
    name: N,
    label: string,
    choices: readonly FieldChoice[],
  ) => ({ name, kind: 'choice' as const, label, choices: [any, ...choices] });
  return [
    {
      name: 'q',
      label: 'Words, client or postcode',
      most: 100,
      input: { type: 'search' },
    },
    choice('kind', 'Kind', [
      { value: 'order', name: 'Orders' },
      { value: 'enquiry', name: 'Enquiries' },
    ]),
    choice('owner', 'Owner', [
      { value: 'me', name: 'Me' },
      { value: 'none', name: 'Unassigned' },
      ...people.map(({ id, name }) => ({ value: id, name })),
    ]),
    choice('family', 'Product family', families),
    choice('bandwidth', 'Bandwidth', bandwidths),
    choice('term', 'Term', terms),
    choice('product', 'Product', products),
    { name: 'area', label: 'Postcode area', hint: 'One or two letters, such as EC.', most: 2 },
    choice('basis', 'Basis of the price', [
      { value: 'firm', name: 'Firm' },
      { value: 'subjectToSurvey', name: 'Subject to survey' },
      { value: 'indicative', name: 'Indicative: needs a firm offer' },
    ]),
    { name: 'from', label: 'Received from', input: { type: 'date' } },
    { name: 'to', label: 'Received to', input: { type: 'date' } },
    {
      name: 'duplicates',
      kind: 'choice',
      label: 'Possible duplicates',
      choices: [
        { value: '', name: 'Include' },
        { value: 'only', name: 'Only duplicates' },
        { value: 'none', name: 'Exclude' },
      ],
    },
  ] satisfies readonly (FormField & { readonly name: FilterName })[];
}

/** Filters the list. Its address holds the whole filter. */
export function FilterForm({ state, choices }: FilterProps) {
  const fields = filterFields(choices).map((field) => ({ ...field, first: state[field.name] }));
  const active = activeFilters(state).length;
  return (
    <details class="filters">
      <summary>
        Filter
        {active > 0 && (
          <>
            {' '}
            <span class="badge">{active}</span>
            <span class="unseen"> active</span>
          </>
        )}
      </summary>
      <form action="/staff/queue">
        {(['view', 'client', 'zone', 'state', 'sort'] as const).map(
          (name) => state[name] && <input type="hidden" name={name} value={state[name]} />,
        )}
        <Fields of={fields} at="filter" />
        <button type="submit" class="primary">
          Filter
        </button>
      </form>
    </details>
  );
}

/** The active filters, each with a link that removes it. */
export function Filters({ state, choices }: FilterProps) {
  const active = activeFilters(state);
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {active.map((name) => {
        const [label, value] = chip(name, state[name]!, choices);
        return (
          <li>
            {`${label}: ${value} `}
            <a
              href={queueAddress(state, { [name]: undefined, cursor: undefined })}
              aria-label={`Remove filter: ${label}`}
            >
              Remove
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function chip(name: FilterName, value: string, choices: FilterChoices): [string, string] {
  if (name === 'client') return ['Client', choices.client?.name ?? 'unknown'];
  if (name === 'zone') return ['Zone', value];
  if (name === 'state') {
    const states = value.split(',').map((one) => (isOrderState(one) ? stateInfo[one].name : one));
    return ['State', states.join(' or ').toLowerCase()];
  }
  const field: FormField = filterFields(choices).find((one) => one.name === name)!;
  const chosen = field.choices?.find((one) => one.value === value)?.name;
  return [field.label, chosen ?? (name === 'owner' ? 'a former staff member' : value)];
}

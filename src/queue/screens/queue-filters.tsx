import type { StaffPerson } from '../../orders/staff/moves.dto.js';
import type { FieldChoice } from '../../platform/ui/forms/fields.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { Fields } from '../../platform/ui/forms/form-view.js';
import {
  activeFilters,
  type FilterName,
  queueAddress,
  type QueueState,
  withoutFilters,
} from './queue-state.js';
import { waitingPartyNames } from '../../orders/record/milestones.js';
import { isOrderState, stateInfo } from '../../orders/record/order-states.js';

export interface FilterChoices {
  readonly people: readonly StaffPerson[];
  readonly clients: readonly FieldChoice[];
  readonly families: readonly FieldChoice[];
  readonly bandwidths: readonly FieldChoice[];
  readonly terms: readonly FieldChoice[];
}

interface FilterProps {
  readonly state: QueueState;
  readonly choices: FilterChoices;
}

type QueueField = FormField & { readonly name: FilterName };

/** The fields of the form; those of a group have one heading. */
function filterFields({ people, clients, families, bandwidths, terms }: FilterChoices) {
  const choice = (name: FilterName, label: string, choices: readonly FieldChoice[]) => ({
    name,
    kind: 'choice' as const,
    label,
    choices: [{ value: '', name: 'Any' }, ...choices],
  });
  const single: QueueField[] = [
    { name: 'q', label: 'Words, client or postcode', most: 100, input: { type: 'search' } },
    choice('kind', 'Kind', [
      { value: 'order', name: 'Orders' },
      { value: 'enquiry', name: 'Enquiries' },
    ]),
    choice('owner', 'Owner', [
      { value: 'me', name: 'Me' },
      { value: 'none', name: 'Unassigned' },
      ...people.map(({ id, name }) => ({ value: id, name })),
    ]),
    choice('client', 'Client', clients),
  ];
  const product: QueueField[] = [
    choice('family', 'Product family', families),
    choice('bandwidth', 'Bandwidth', bandwidths),
    choice('term', 'Term', terms),
  ];
  const received: QueueField[] = [
    { name: 'from', label: 'Received from', input: { type: 'date' } },
    { name: 'to', label: 'Received to', input: { type: 'date' } },
  ];
  return { single, product, received };
}

/** Filters that other pages link to: the form keeps them, and shows them above the list. */
const linked = {
  state: 'State',
  zone: 'Zone',
  product: 'Product',
  area: 'Postcode area',
  basis: 'Basis of the price',
  waitingFor: 'Waiting for',
  duplicates: 'Possible duplicates',
} as const satisfies Partial<Record<FilterName, string>>;

const linkedValues: Readonly<Record<string, string>> = {
  firm: 'firm',
  subjectToSurvey: 'subject to survey',
  indicative: 'indicative, to be confirmed',
  ...waitingPartyNames,
  only: 'only duplicates',
  none: 'excluded',
};

/** Filters the list. Its address holds the whole filter. */
export function FilterForm({ state, choices }: FilterProps) {
  const { single, product, received } = filterFields(choices);
  const shown = (fields: readonly QueueField[]) => (
    <Fields of={fields.map((field) => ({ ...field, first: state[field.name] }))} at="filter" />
  );
  const active = activeFilters(state).length;
  const kept = ['view', 'sort', ...(Object.keys(linked) as (keyof typeof linked)[])] as const;
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
        {kept.map((name) => state[name] && <input type="hidden" name={name} value={state[name]} />)}
        {shown(single)}
        <div class="together">{shown(product)}</div>
        <div class="together">{shown(received)}</div>
        <p class="actions">
          <button type="submit" class="primary">
            Filter
          </button>
          {active > 0 && <a href={queueAddress(withoutFilters(state))}>Clear filters</a>}
        </p>
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
  if (name === 'state') {
    const states = value.split(',').map((one) => (isOrderState(one) ? stateInfo[one].name : one));
    return [linked.state, states.join(' or ').toLowerCase()];
  }
  if (Object.hasOwn(linked, name)) {
    return [linked[name as keyof typeof linked], linkedValues[value] ?? value];
  }
  const { single, product, received } = filterFields(choices);
  const field = [...single, ...product, ...received].find((one) => one.name === name)!;
  const chosen = field.choices?.find((one) => one.value === value)?.name;
  const former = { owner: 'a former staff member', client: 'unknown' }[name as string];
  return [field.label, chosen ?? former ?? value];
}

import type { StaffPerson } from '../../orders/staff/moves.dto.js';
import type { FieldChoice } from '../../platform/ui/forms/fields.js';
import type { Form } from '../../platform/ui/forms/form.js';
import { dateInput, type FormField, type RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { Fields } from '../../platform/ui/forms/form-view.js';
import { type InputForm, inputForm } from '../../platform/ui/forms/input-form.js';
import {
  activeFilters,
  type FilterName,
  queueAddress,
  QueueQuery,
  type QueueState,
  readQueueState,
  sortOf,
  withoutFilters,
} from './queue-state.js';
import { constraintNames } from '../../catalogue/content/zone-fields.js';
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
  readonly refused?: RefusedForm;
}

/** The query of the list, with the fields of its filter. */
export function filterForm(choices: FilterChoices): InputForm<QueueQuery> {
  const choice = (label: string, of: readonly FieldChoice[]) => ({
    label,
    any: 'Any',
    choices: of,
  });
  const people = choices.people.map(({ id, name }) => ({ value: id, name }));
  const owners = [{ value: 'me', name: 'Me' }, { value: 'none', name: 'Unassigned' }, ...people];
  const form = inputForm(QueueQuery, {
    q: { label: 'Words, client or postcode', input: { type: 'search' } },
    kind: { label: 'Kind', any: 'Any', names: { order: 'Orders', enquiry: 'Enquiries' } },
    owner: choice('Owner', owners),
    client: choice('Client', choices.clients),
    family: choice('Product family', choices.families),
    bandwidth: choice('Bandwidth', choices.bandwidths),
    term: choice('Term', choices.terms),
    constraint: { label: 'Constraint', any: 'Any', names: constraintNames },
    from: { label: 'Received from' },
    to: { label: 'Received to' },
  });
  const read = (query: Form) => {
    const state = readQueueState(query);
    return { ...state, sort: sortOf(state) };
  };
  return { ...form, read };
}

/** The fields below each other, those of the product, and those of the day, which have one heading each. */
const groups: readonly (readonly FilterName[])[] = [
  ['q', 'kind', 'owner', 'client', 'constraint'],
  ['family', 'bandwidth', 'term'],
  ['from', 'to'],
];

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
export function FilterForm({ state, choices, refused }: FilterProps) {
  const { fields } = filterForm(choices);
  const drawn = (name: FilterName): FormField => {
    const field = { ...fields.find((field) => field.name === name)!, first: state[name] };
    const isDay = name === 'from' || name === 'to';
    return isDay ? { ...field, input: dateInput(name, refused) } : field;
  };
  const [single, ...together] = groups.map((names) => (
    <Fields of={names.map(drawn)} refused={refused} at="filter" />
  ));
  const active = activeFilters(state).length;
  const kept = ['view', 'sort', ...(Object.keys(linked) as (keyof typeof linked)[])] as const;
  return (
    <details class="filters" open={refused !== undefined}>
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
        {single}
        {together.map((group) => (
          <div class="together">{group}</div>
        ))}
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
export function Filters({ state, choices }: Omit<FilterProps, 'refused'>) {
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
    const states = value
      .split(',')
      .map((state) => (isOrderState(state) ? stateInfo[state].name : state));
    return [linked.state, states.join(' or ').toLowerCase()];
  }
  if (Object.hasOwn(linked, name)) {
    return [linked[name as keyof typeof linked], linkedValues[value] ?? value];
  }
  const field = filterForm(choices).fields.find((field) => field.name === name)!;
  const chosen = field.choices?.find((choice) => choice.value === value)?.name;
  const former = { owner: 'a former staff member', client: 'unknown' }[name as string];
  return [field.label, chosen ?? former ?? value];
}

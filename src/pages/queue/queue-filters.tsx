import type { StaffPerson } from '../../follow-up/moves/moves.dto.js';
import { type FieldChoice, Select, TextField } from '../forms/fields.js';
import { type FilterName, filterNames, queueAddress, type QueueState } from './queue-state.js';
import { isOrderState, stateInfo } from '../../orders/moves/order-states.js';

export interface FilterChoices {
  readonly people: readonly StaffPerson[];
  readonly products: readonly FieldChoice[];
  readonly client: FieldChoice | null;
}

/** Filters the list. The address holds the whole filter. */
export function FilterForm({ state, choices }: { state: QueueState; choices: FilterChoices }) {
  const { people, products } = choices;
  const anything = { value: '', name: 'Any' };
  const owners = people.map(({ id, name }) => ({ value: id, name }));
  return (
    <details class="filters">
      <summary>Filter</summary>
      <form action="/staff/queue">
        <input type="hidden" name="view" value={state.view} />
        {state.client && <input type="hidden" name="client" value={state.client} />}
        {state.zone && <input type="hidden" name="zone" value={state.zone} />}
        {state.state && <input type="hidden" name="state" value={state.state} />}
        {state.sort && <input type="hidden" name="sort" value={state.sort} />}
        <TextField
          name="q"
          id="filter-q"
          label="Words, client or postcode"
          value={state.q}
          input={{ maxLength: 100, type: 'search', autocomplete: 'off' }}
        />
        <Select
          name="owner"
          label="Owner"
          value={state.owner}
          choices={[
            anything,
            { value: 'me', name: 'Me' },
            { value: 'none', name: 'Nobody' },
            ...owners,
          ]}
        />
        <Select
          name="product"
          label="Product"
          value={state.product}
          choices={[anything, ...products]}
        />
        <TextField
          name="area"
          label="Postcode area"
          hint="One or two letters, such as EC."
          value={state.area}
          input={{ maxLength: 2, autocomplete: 'off' }}
        />
        <TextField name="from" label="Received from" value={state.from} input={{ type: 'date' }} />
        <TextField name="to" label="Received up to" value={state.to} input={{ type: 'date' }} />
        <Select
          name="duplicates"
          label="Possible duplicates"
          value={state.duplicates}
          choices={[
            { value: '', name: 'With the others' },
            { value: 'only', name: 'Only these' },
            { value: 'none', name: 'Without them' },
          ]}
        />
        <button type="submit" class="primary">
          Filter
        </button>
      </form>
    </details>
  );
}

/** The active filters, each with a link that removes it. */
export function Filters({ state, choices }: { state: QueueState; choices: FilterChoices }) {
  const active = filterNames.filter((name) => state[name] !== undefined);
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {active.map((name) => (
        <li>
          {`${labels[name]}: ${words(name, state[name]!, choices)} `}
          <a
            href={queueAddress(state, { [name]: undefined, cursor: undefined })}
            aria-label={`Take off the filter: ${labels[name]}`}
          >
            Take off
          </a>
        </li>
      ))}
    </ul>
  );
}

const labels: Readonly<Record<FilterName, string>> = {
  state: 'State',
  owner: 'Owner',
  client: 'Client',
  product: 'Product',
  zone: 'Zone',
  area: 'Area',
  duplicates: 'Possible duplicates',
  from: 'Received from',
  to: 'Received up to',
  q: 'Words',
};

function words(name: FilterName, value: string, { people, client }: FilterChoices): string {
  if (name === 'owner') {
    if (value === 'me') return 'me';
    if (value === 'none') return 'nobody';
    return people.find(({ id }) => id === value)?.name ?? 'somebody who has left';
  }
  if (name === 'client') return client?.name ?? 'unknown';
  if (name === 'state') {
    return value
      .split(',')
      .map((one) => (isOrderState(one) ? stateInfo[one].name.toLowerCase() : one))
      .join(' or ');
  }
  if (name === 'duplicates') return value === 'only' ? 'only these' : 'without them';
  return value;
}

import type { StaffCaller } from '../../access/caller.js';
import { isAtLeast } from '../../access/scopes.js';
import type { BulkRow, StaffPerson } from '../../follow-up/moves/moves.dto.js';
import { type Faults, FaultSummary, Select, TextField } from '../forms/fields.js';

/** What became of several orders, or what was wrong with asking for it. */
export interface BulkTried {
  readonly faults: Faults;
  readonly ownerId: string;
  readonly note: string;
  /** References of the boxes that stay ticked. */
  readonly ticked: ReadonlySet<string>;
  readonly done: 'assigned' | 'handed over' | null;
  readonly ownerName: string;
  readonly results: readonly (BulkRow & { readonly reference: string })[];
}

/** For the ticked rows; stands at the foot of the list, and of the window while a row is ticked. */
export function BulkBar(props: {
  viewer: StaffCaller;
  people: readonly StaffPerson[];
  bulk?: BulkTried;
}) {
  const { viewer, people, bulk } = props;
  return (
    <fieldset class="bulk">
      <legend class="unseen">With the ticked rows</legend>
      <Select
        name="ownerId"
        label="Give ticked rows to"
        faults={bulk?.faults}
        value={bulk?.ownerId}
        choices={[
          { value: '', name: 'Choose …' },
          ...people.map(({ id, name }) => ({ value: id, name })),
        ]}
      />
      <TextField
        name="note"
        label="Note"
        faults={bulk?.faults}
        value={bulk?.note}
        input={{ maxLength: 2_000, autocomplete: 'off' }}
      />
      <div class="bulk-moves">
        {isAtLeast(viewer.role, 'manager') && (
          <button type="submit" name="move" value="assign">
            Assign
          </button>
        )}
        <button type="submit" name="move" value="hand-over">
          Hand over
        </button>
      </div>
    </fieldset>
  );
}

/** Each order by itself: what was moved, and why another one was not. */
export function BulkOutcome({ bulk }: { bulk: BulkTried }) {
  const { faults, done, results, ownerName } = bulk;
  if (done === null) return <FaultSummary faults={faults} />;
  const failed = results.filter(({ moved }) => !moved);
  const moved = results.length - failed.length;
  const orders = (number: number) => `${number} ${number === 1 ? 'order' : 'orders'}`;
  return (
    <section
      class={failed.length > 0 ? 'notice bad' : 'notice good'}
      tabIndex={-1}
      data-focus
      aria-labelledby="bulk-outcome"
    >
      <h2 id="bulk-outcome">{`${orders(moved)} ${done} to ${ownerName}${failed.length > 0 ? `, ${failed.length} not` : ''}.`}</h2>
      <ul class="bare">
        {results.map(({ reference, problem }) => (
          <li>
            <a href={`/staff/orders/${reference}`}>{reference}</a>
            {problem === null ? ` ${done}` : `: ${problem.detail}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

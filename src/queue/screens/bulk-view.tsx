import type { StaffCaller } from '../../platform/access/caller.js';
import { isAtLeast } from '../../platform/access/scopes.js';
import type { BulkRow, StaffPerson } from '../../orders/staff/moves.dto.js';
import { cancelReasonNames } from '../../orders/moves/move-fields.js';
import {
  choiceField,
  type FormField,
  type RefusedForm,
} from '../../platform/ui/forms/form-spec.js';
import { Fields, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { counted } from '../../platform/kernel/counts.js';

export type BulkMoveName = 'assign' | 'handOver' | 'cancel';

/** Fields for the selected orders. Which of them are required depends on the move. */
export function bulkFields(
  people: readonly StaffPerson[],
  move?: BulkMoveName,
  reason = '',
): FormField[] {
  const gives = move === 'assign' || move === 'handOver';
  return [
    choiceField(
      {
        name: 'ownerId',
        label: 'Assign selected to',
        ...(gives && { missing: 'Choose a staff member.' }),
        wrong: 'Choose a staff member from the list.',
      },
      people.map(({ id, name }) => ({ value: id, name })),
    ),
    {
      name: 'note',
      label: 'Note',
      most: 2_000,
      ...(move === 'handOver' && { missing: 'Enter a handover note.' }),
      ...(move === 'cancel' &&
        reason === 'other' && { missing: 'Add a note to explain the reason.' }),
    },
    choiceField(
      {
        name: 'reason',
        label: 'Reason to cancel selected',
        ...(move === 'cancel' && { missing: 'Choose a reason.' }),
      },
      Object.entries(cancelReasonNames).map(([value, name]) => ({ value, name })),
    ),
  ];
}

/** The result of a form for the selected orders: its refusal, or a result for each order. */
export interface BulkTried {
  readonly refused: RefusedForm | null;
  /** References of the orders that stay selected. */
  readonly ticked: ReadonlySet<string>;
  readonly done: 'assigned' | 'handed over' | 'cancelled';
  /** Null if the move gives the orders to no one. */
  readonly ownerName: string | null;
  readonly results: readonly (BulkRow & { readonly reference: string })[];
}

/** Below the list; at the bottom of the window while a row is selected. */
export function BulkBar(props: {
  viewer: StaffCaller;
  people: readonly StaffPerson[];
  bulk?: BulkTried;
}) {
  const { viewer, people, bulk } = props;
  const isManager = isAtLeast(viewer.role, 'manager');
  // Which fields are required depends on the button: only the server checks it.
  const fields = bulkFields(people).filter(({ name }) => isManager || name !== 'reason');
  return (
    <fieldset class="bulk">
      <legend class="unseen">Selected orders</legend>
      <p class="selected" data-selected hidden></p>
      <Fields of={fields} refused={bulk?.refused} />
      <div class="bulk-moves">
        {isManager && (
          <button type="submit" name="move" value="assign">
            Assign
          </button>
        )}
        <button type="submit" name="move" value="hand-over">
          Hand over
        </button>
        {isManager && (
          <button type="submit" name="move" value="cancel">
            Cancel orders
          </button>
        )}
        <button type="button" data-select-none hidden>
          Clear selection
        </button>
      </div>
    </fieldset>
  );
}

/** The result for each order: moved, or why not. */
export function BulkOutcome({ bulk }: { bulk: BulkTried }) {
  const { refused, done, results, ownerName } = bulk;
  if (results.length === 0) return <RefusedSummary refused={refused} />;
  const failed = results.filter(({ moved }) => !moved);
  const moved = results.length - failed.length;
  const to = ownerName === null ? '' : ` to ${ownerName}`;
  const orders = (number: number) => `${counted(number, 'order')}`;
  return (
    <section
      class={failed.length > 0 ? 'notice bad' : 'notice good'}
      tabIndex={-1}
      data-focus
      aria-labelledby="bulk-outcome"
    >
      <h2 id="bulk-outcome">{`${orders(moved)} ${done}${to}${failed.length > 0 ? `, ${failed.length} not` : ''}.`}</h2>
      {done === 'cancelled' && moved > 0 && (
        <p>
          Clients with a webhook are notified of each order in 10 seconds. A manager can reopen an
          order on its page.
        </p>
      )}
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

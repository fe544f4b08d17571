import type { StaffCaller } from '../../platform/access/caller.js';
import { isAtLeast } from '../../platform/access/scopes.js';
import type { BulkRow, StaffPerson } from '../../orders/staff/moves.dto.js';
import { cancelReasonNames } from '../../orders/moves/move-fields.js';
import { choicesOf, type FormField, type RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { type InputForm, inputForm } from '../../platform/ui/forms/input-form.js';
import { moveContents } from '../../orders/staff/move-bodies.js';
import { otherNeedsNote } from '../../orders/moves/move-faults.js';
import type { FieldError } from '../../platform/problems/problem.js';
import { Fields, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { counted } from '../../platform/kernel/counts.js';

export type BulkMoveName = 'assign' | 'handOver' | 'cancel' | 'reply';

/** The fields for the selected orders: each move has some of them. */
function bulkWords(people: readonly StaffPerson[]) {
  const choices = choicesOf(people.map(({ id, name }) => ({ value: id, name })));
  return {
    ownerId: {
      label: 'Assign selected to',
      choices,
      missing: 'Choose a staff member.',
      wrong: 'Choose a staff member from the list.',
    },
    note: { label: 'Note', missing: 'Enter a handover note.' },
    reason: {
      label: 'Reason to cancel selected',
      names: cancelReasonNames,
      missing: 'Choose a reason.',
    },
    text: {
      label: 'Message to their client',
      long: true as const,
      missing: 'Enter a message.',
    },
  };
}

/** @param faults of the selection itself */
export function bulkForm(
  move: BulkMoveName,
  people: readonly StaffPerson[],
  faults: readonly FieldError[],
): InputForm<object> {
  const { ownerId, note, reason, text } = bulkWords(people);
  const owned = { ownerId, note };
  const words = move === 'reply' ? { text } : move === 'cancel' ? { reason, note } : owned;
  const form = inputForm<object>(moveContents[move], words);
  return {
    ...form,
    fields: [...form.fields, { name: 'order', label: 'Orders' }],
    rules: (input: { reason?: string; note?: string }) =>
      move === 'cancel' ? [...faults, ...otherNeedsNote(null, input)] : faults,
  };
}

/** Which of them are required depends on the button: only the server checks it. */
function bulkFields(people: readonly StaffPerson[], isManager: boolean): FormField[] {
  const { ownerId, note, reason, text } = bulkWords(people);
  const { fields } = inputForm(moveContents.assign, { ownerId, note });
  const ofAll = inputForm(moveContents.reply, { text }).fields;
  const ofManagers = isManager ? inputForm(moveContents.cancel, { reason }).fields : [];
  return [...fields, ...ofManagers, ...ofAll].map((field) => ({ ...field, missing: undefined }));
}

/** The result of a form for the selected orders: its refusal, or a result for each order. */
export interface BulkTried {
  readonly refused: RefusedForm | null;
  /** References of the orders that stay selected. */
  readonly ticked: ReadonlySet<string>;
  readonly done: 'assigned' | 'handed over' | 'cancelled' | 'got the message';
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
  return (
    <fieldset class="bulk">
      <legend class="unseen">Selected orders</legend>
      <p class="selected" data-selected hidden></p>
      <Fields of={bulkFields(people, isManager)} refused={bulk?.refused} />
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
        <button type="submit" name="move" value="reply">
          Send message
        </button>
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

import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { Chips, controlAttributes, idOfTick, TextField } from '../../platform/ui/forms/fields.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import type { Form } from '../../platform/ui/forms/form.js';
import {
  type CallChoice,
  canRecordCall,
  dayChoices,
  longest,
  lostChoices,
  nextChoices,
  NOTE_KEY,
  outcomeChoices,
  timeChoices,
} from './call-form.js';
import {
  type CalendarNow,
  firstAmount,
  isIndicative,
  lostHint,
  morningIn,
  winLabels,
} from './order-forms.js';
import { toLocalInput } from '../../platform/kernel/time-words.js';

interface CallPanelProps extends CalendarNow {
  readonly order: FollowUpOrder;
  readonly viewer: StaffCaller;
  readonly refused?: RefusedForm;
}

/** The id of a field: a dialog on the same page may have a field of the same name. */
const idOf = (name: string) => `call-${name}`;

/** The panel with what was sent, for the page that shows its faults. */
export function refuseCall(
  form: Form,
  faults: ReadonlyMap<string, string>,
  times: CalendarNow,
): RefusedForm {
  const first = (name: string, [choice]: readonly CallChoice[]) =>
    idOfTick(idOf(name), choice?.value ?? '');
  const ids = {
    outcome: first('outcome', outcomeChoices),
    next: idOfTick(idOf('next'), 'hour'),
    reason: first('reason', lostChoices),
    day: first('day', dayChoices(times)),
    time: first('time', timeChoices(times)),
    at: idOf('at'),
    note: idOf('note'),
    externalReference: idOf('externalReference'),
    price: idOf('price'),
    setupPrice: idOf('setupPrice'),
  };
  const labels = { outcome: 'Outcome', next: 'Next step', reason: 'Reason', note: 'Note' };
  return { form, faults, ids, labels: { ...winLabels, ...labels }, at: '' };
}

/** Records a call: outcome, next step and note, saved together. */
export function CallPanel(props: CallPanelProps) {
  const { order, viewer, refused } = props;
  const { reference, version } = order;
  const isOwned = canRecordCall(order, viewer);
  const typed = (name: string) => refused?.form.text(name) ?? '';
  return (
    <form
      method="post"
      action={`/staff/orders/${reference}/call`}
      class="call"
      noValidate
      aria-labelledby="call-title"
      tabIndex={-1}
      data-call
      data-draft={`${reference}/call`}
      data-typed={isTyped(refused) ? '' : undefined}
    >
      <h2 id="call-title">{isOwned ? 'Record a call' : 'Add a note'}</h2>
      <input type="hidden" name="version" value={version} />
      {isOwned ? <Steps {...props} /> : <p class="intro">{advice(order)}</p>}
      <div class="field">
        <label for={idOf('note')} data-key={NOTE_KEY}>
          Note
          <kbd aria-hidden="true">{NOTE_KEY}</kbd>
        </label>
        {refused?.faults.has('note') && (
          <p class="fault" id="call-note-fault">
            {refused.faults.get('note')}
          </p>
        )}
        <textarea
          rows={2}
          aria-keyshortcuts={NOTE_KEY}
          {...controlAttributes({
            name: 'note',
            label: 'Note',
            id: idOf('note'),
            fault: refused?.faults.get('note'),
          })}
        >
          {typed('note')}
        </textarea>
      </div>
      <p class="actions">
        <button type="submit" class="primary" aria-keyshortcuts="Control+Enter">
          {isOwned ? 'Save' : 'Add note'}
          <kbd aria-hidden="true">Ctrl Enter</kbd>
        </button>
        {isOwned && (
          <button
            type="submit"
            name="then"
            value="next"
            aria-keyshortcuts="Control+Shift+Enter"
            data-then-next
          >
            Save and take next
            <kbd aria-hidden="true">Ctrl Shift Enter</kbd>
          </button>
        )}
        <button type="reset" class="quiet">
          Clear
        </button>
      </p>
    </form>
  );
}

/** Whether something was chosen or written. A time of the next action is chosen at first. */
function isTyped(refused?: RefusedForm): boolean {
  return ['outcome', 'next', 'note'].some((name) => refused?.form.text(name));
}

/** What someone who does not own the order can do. */
function advice({ kind, state, closedAt, ownerName }: FollowUpOrder): string {
  if (closedAt !== null) return `This ${kind} is closed. You can add a note.`;
  if (state === 'waiting') {
    return `Claim this ${kind} before you call, so that no one else calls too. Or add a note.`;
  }
  return `${ownerName ?? 'A colleague'} owns this ${kind}. You can add a note.`;
}

/** Outcome and next step. The details of a next step are shown when it is chosen. */
function Steps({ refused, order, ...times }: CallPanelProps) {
  const isOrder = order.kind === 'order';
  const group = (name: string, first = '') => ({
    name,
    id: idOf(name),
    chosen: refused?.form.text(name) || first,
    fault: refused?.faults.get(name),
  });
  return (
    <>
      <Chips {...group('outcome')} label="Outcome" of={outcomeChoices} />
      <Chips {...group('next')} label="Next step" of={nextChoices(times, order.kind)} />
      <div class="details-of" data-for="day">
        <Chips {...group('day')} label="Day" of={dayChoices(times)} local />
        <Chips {...group('time', '10:00')} label="Time" of={timeChoices(times)} local />
      </div>
      <div class="details-of" data-for="pick" data-own-of="next">
        <TextField
          name="at"
          id={idOf('at')}
          label="Time of the next step"
          hint="London time."
          value={refused?.form.text('at') ?? toLocalInput(morningIn(1, times))}
          faults={refused?.faults}
          input={{ type: 'datetime-local' }}
        />
      </div>
      {isOrder && (
        <div class="details-of" data-for="win">
          {isIndicative(order) &&
            (['price', 'setupPrice'] as const).map((of) => (
              <TextField
                name={of}
                id={idOf(of)}
                label={winLabels[of]}
                value={refused?.form.text(of) ?? firstAmount(of, order)}
                faults={refused?.faults}
                input={{ inputMode: 'decimal', autocomplete: 'off' }}
              />
            ))}
          <TextField
            name="externalReference"
            id={idOf('externalReference')}
            label={winLabels.externalReference}
            value={refused?.form.text('externalReference')}
            faults={refused?.faults}
            input={{ maxLength: longest.externalReference, autocomplete: 'off' }}
          />
        </div>
      )}
      <div class="details-of" data-for="lose">
        <Chips {...group('reason')} label="Reason" hint={lostHint(order)} of={lostChoices} local />
      </div>
    </>
  );
}

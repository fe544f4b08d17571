import type { StaffCaller } from '../../access/caller.js';
import type { ViewCounts } from '../../follow-up/queue/counts.service.js';
import type { FormField, RefusedForm } from '../forms/form-spec.js';
import { Fields, RefusedSummary } from '../forms/form-view.js';
import { Layout } from '../shell/layout.js';
import { Notice } from '../shell/parts.js';
import { type FormContext, noteField, type OrderForm } from './order-forms.js';

interface MoveFormPageProps {
  readonly viewer: StaffCaller;
  readonly counts: ViewCounts;
  readonly form: OrderForm;
  readonly about: FormContext;
  readonly fields: readonly FormField[];
  /** What was typed, with its faults. */
  readonly typed?: RefusedForm;
  /** Why the move was or would be refused. */
  readonly refusal?: MoveConflict;
}

export interface MoveConflict {
  readonly reason: string;
  /** Whether the move can still be made as the order is now. */
  readonly possible: boolean;
}

/** The form of one move, as a page; a script shows its form as a dialog on the page of the order. */
export function MoveFormPage(props: MoveFormPageProps) {
  const { viewer, counts, form, about, typed, refusal } = props;
  const { reference, client } = about.order;
  return (
    <Layout title={`${form.title}: ${reference}`} viewer={viewer} counts={counts} width="narrow">
      <p class="crumb">
        <a href={`/staff/orders/${reference}`}>{`${reference}, ${client.name}`}</a>
      </p>
      {refusal && <Conflict reference={reference} refusal={refusal} />}
      <RefusedSummary refused={typed} />
      {refusal?.possible === false ? <KeepAsNote {...props} /> : <MoveForm {...props} />}
    </Layout>
  );
}

function Conflict({ reference, refusal }: { reference: string; refusal: MoveConflict }) {
  return (
    <div tabIndex={-1} data-focus>
      <Notice kind="bad" title={refusal.reason}>
        <p>
          {refusal.possible
            ? 'Nothing of yours was changed. What you typed is still here: look at it, and send it again.'
            : 'Nothing of yours was changed.'}
        </p>
        <div class="actions">
          <form method="post" action="/staff/take-next">
            <button type="submit">Take the next one</button>
          </form>
          <a class="button" href={`/staff/orders/${reference}`}>
            Look at the order
          </a>
        </div>
      </Notice>
    </div>
  );
}

function MoveForm({ form, about, fields, typed }: MoveFormPageProps) {
  const { reference, version } = about.order;
  return (
    <form
      method="post"
      action={`/staff/orders/${reference}/${form.path}`}
      noValidate
      data-dialog-form
    >
      {form.confirmation && <p class="intro">{form.confirmation}</p>}
      <input type="hidden" name="version" value={version} />
      <Fields of={fields} refused={typed} />
      <div class="form-end">
        <button type="submit" class="primary">
          {form.button}
        </button>
        <a class="button" href={`/staff/orders/${reference}`} data-close>
          Back to the order
        </a>
      </div>
    </form>
  );
}

/** For a move that is no longer possible: the texts typed for it can be kept as a note. */
function KeepAsNote({ about, form, typed }: MoveFormPageProps) {
  const text = form.fields
    .filter(({ kind }) => kind === 'long' || kind === 'text')
    .map(({ name }) => typed?.form.text(name))
    .filter(Boolean)
    .join('\n\n');
  if (text === '') return null;
  return (
    <form method="post" action={`/staff/orders/${about.order.reference}/note`} data-dialog-form>
      <p class="intro">What you typed is here. Keep it as a note, if it still helps.</p>
      <Fields of={[{ ...noteField, first: text }]} />
      <div class="form-end">
        <button type="submit" class="primary">
          Add it as a note
        </button>
      </div>
    </form>
  );
}

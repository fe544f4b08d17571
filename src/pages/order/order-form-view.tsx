import type { StaffCaller } from '../../access/caller.js';
import type { ViewCounts } from '../../follow-up/queue/counts.service.js';
import { type Faults, FaultSummary, Select, TextArea, TextField } from '../forms/fields.js';
import { Layout } from '../shell/layout.js';
import {
  choicesOf,
  type Field,
  type FormContext,
  type OrderForm,
  suggestedTimes,
} from './order-forms.js';
import { Notice } from '../shell/parts.js';
import { toLocalInput } from '../shell/times.js';

interface MoveFormPageProps {
  readonly viewer: StaffCaller;
  readonly counts: ViewCounts;
  readonly form: OrderForm;
  readonly about: FormContext;
  readonly values: Readonly<Record<string, string>>;
  readonly faults?: Faults;
  /** What has happened meanwhile, or why the move cannot be made. */
  readonly refused?: Refused;
}

export interface Refused {
  readonly what: string;
  /** Whether the move can still be made as the order is now. */
  readonly possible: boolean;
}

/** The form of one move, as a page; a script shows its form as a dialog on the page of the order. */
export function MoveFormPage(props: MoveFormPageProps) {
  const { viewer, counts, form, about, values, faults, refused } = props;
  const { reference, client } = about.order;
  const typed = Object.values(values).filter(Boolean);
  return (
    <Layout title={`${form.title}: ${reference}`} viewer={viewer} counts={counts} width="narrow">
      <p class="crumb">
        <a href={`/staff/orders/${reference}`}>{`${reference}, ${client.name}`}</a>
      </p>
      {refused && <Happened reference={reference} refused={refused} />}
      <FaultSummary faults={faults} />
      {refused?.possible === false ? (
        typed.length > 0 && <Kept about={about} form={form} values={values} />
      ) : (
        <TheForm form={form} about={about} values={values} faults={faults} />
      )}
    </Layout>
  );
}

function Happened({ reference, refused }: { reference: string; refused: Refused }) {
  return (
    <div tabIndex={-1} data-focus>
      <Notice kind="bad" title={refused.what}>
        <p>
          {refused.possible
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

interface FormProps {
  readonly form: OrderForm;
  readonly about: FormContext;
  readonly values: Readonly<Record<string, string>>;
  readonly faults?: Faults;
}

function TheForm({ form, about, values, faults }: FormProps) {
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
      {form.fields.map((field) => (
        <OneField field={field} about={about} value={values[field.name] ?? ''} faults={faults} />
      ))}
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

function OneField(props: { field: Field; about: FormContext; value: string; faults?: Faults }) {
  const { field, about, value, faults } = props;
  const { name, label, hint } = field;
  const common = { name, label, hint, faults, value };
  const required = field.missing !== undefined;
  switch (field.kind) {
    case 'long':
      return <TextArea {...common} area={{ maxLength: field.longest, required }} />;
    case 'text':
      return <TextField {...common} input={{ maxLength: field.longest, autocomplete: 'off' }} />;
    case 'choice':
    case 'person':
      return (
        <Select
          {...common}
          choices={[{ value: '', name: 'Choose …' }, ...choicesOf(field, about)]}
          select={{ required }}
        />
      );
    case 'time':
      return (
        <>
          <TextField {...common} input={{ type: 'datetime-local', required, list: 'times' }} />
          <datalist id="times">
            {suggestedTimes(about).map(({ name: words, at }) => (
              <option value={toLocalInput(at)} label={words} />
            ))}
          </datalist>
        </>
      );
    case 'order':
      return (
        <>
          <TextField
            {...common}
            input={{ list: 'twins', maxLength: 12, required, autocomplete: 'off' }}
          />
          <datalist id="twins">
            {about.twins.map((reference) => (
              <option value={reference} />
            ))}
          </datalist>
        </>
      );
  }
}

/** What was typed for a move that cannot be made any more: it can be kept as a note. */
function Kept({ about, form, values }: FormProps) {
  const texts = form.fields
    .filter(({ kind }) => kind === 'long' || kind === 'text')
    .map(({ name }) => values[name] ?? '')
    .filter(Boolean);
  const text = texts.join('\n\n');
  if (text === '') return null;
  return (
    <form method="post" action={`/staff/orders/${about.order.reference}/note`} data-dialog-form>
      <p class="intro">What you typed is here. Keep it as a note, if it still helps.</p>
      <TextArea
        name="note"
        label="Note"
        hint="Seen by staff only, and found by search."
        value={text}
        area={{ maxLength: 2_000, required: true, rows: 6 }}
      />
      <div class="form-end">
        <button type="submit" class="primary">
          Add it as a note
        </button>
      </div>
    </form>
  );
}

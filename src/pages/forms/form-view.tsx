import type { ComponentChildren } from 'preact';
import { Checkbox, FaultSummary, Select, TextArea, TextField } from './fields.js';
import { type FormField, idOfField, idOfTick, type RefusedForm, ticked } from './form-spec.js';

interface FieldsProps {
  readonly of: readonly FormField[];
  /** The form of the page that was refused, these fields or others. */
  readonly refused?: RefusedForm | null;
  /** See `RefusedForm`. */
  readonly at?: string;
}

export function Fields({ of, refused, at = '' }: FieldsProps) {
  return of.map((field) => {
    const sent = refused?.at === at && field.name in refused.ids ? refused : null;
    return <OneField field={field} sent={sent} id={idOfField(field, at)} />;
  });
}

function OneField(props: { field: FormField; sent: RefusedForm | null; id: string }) {
  const { field, sent, id } = props;
  const { name, label, hint, kind, first, choices = [], most, missing, suggestions, input } = field;
  const faults = sent?.faults;
  const value = sent ? sent.form.text(name) : first;
  const common = { name, id, label, hint, faults };
  const required = missing !== undefined;
  if (kind === 'choice') {
    return <Select {...common} choices={choices} value={value} select={{ required }} />;
  }
  if (kind === 'long') {
    return <TextArea {...common} value={value} area={{ maxLength: most, required }} />;
  }
  if (kind === 'tick') return <Checkbox {...common} value="yes" checked={sent?.form.has(name)} />;
  if (kind === 'ticks') {
    return (
      <fieldset>
        <legend>{label}</legend>
        {faults?.has(name) && <p class="fault">{faults.get(name)}</p>}
        {choices.map((choice) => (
          <Checkbox
            name={name}
            id={idOfTick(name, choice.value)}
            value={choice.value}
            label={choice.name}
            checked={sent ? ticked(field, sent.form).includes(choice.value) : true}
          />
        ))}
      </fieldset>
    );
  }
  const isKept = input?.type !== 'password' && input?.type !== 'file';
  const list: object = suggestions ? { list: `${id}-list` } : {};
  return (
    <>
      <TextField
        {...common}
        value={isKept ? value : undefined}
        input={{ maxLength: most, required, autocomplete: 'off', ...list, ...input }}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((one) => (
            <option value={one.value} label={one.name} />
          ))}
        </datalist>
      )}
    </>
  );
}

interface PostFormProps extends Omit<FieldsProps, 'of'> {
  readonly action: string;
  /** What it does: the text of its button. Forms with several buttons bring their own. */
  readonly button: ComponentChildren;
  readonly kind?: 'primary' | 'danger';
  readonly fields?: readonly FormField[];
  readonly hidden?: Readonly<Record<string, string>>;
  readonly cancel?: string;
  readonly children?: ComponentChildren;
}

/** A form that is posted: hidden fields, what else it shows, its fields, and its button. */
export function PostForm(props: PostFormProps) {
  const { action, button, kind, fields = [], hidden = {}, cancel, children, refused, at } = props;
  const end =
    typeof button === 'string' ? (
      <button type="submit" class={kind}>
        {button}
      </button>
    ) : (
      button
    );
  return (
    <form method="post" action={action}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
      <Fields of={fields} refused={refused} at={at} />
      {fields.length > 0 || cancel ? (
        <p class="actions">
          {end}
          {cancel && <a href={cancel}>Cancel</a>}
        </p>
      ) : (
        end
      )}
    </form>
  );
}

/** Above the forms of a page: what is wrong with the one that was refused. */
export function RefusedSummary({ refused }: { refused?: RefusedForm | null }) {
  return refused ? <FaultSummary {...refused} /> : null;
}

import type { ComponentChildren } from 'preact';
import { Chips, controlAttributes, FaultSummary, idOfTick, Labelled, TextField } from './fields.js';
import { type FormField, idOfField, idOfOwn, OWN, type RefusedForm, ticked } from './form-spec.js';

interface FieldsProps {
  readonly of: readonly FormField[];
  /** The refused form of the page, which may have other fields. */
  readonly refused?: RefusedForm | null;
  /** See `RefusedForm`. */
  readonly at?: string;
}

export function Fields({ of, refused, at = '' }: FieldsProps) {
  return of.map((field) => {
    const sent = refused?.at === at && field.name in refused.ids ? refused : null;
    const id = idOfField(field, at);
    if (field.kind === 'ticks') return <Ticks field={field} sent={sent} />;
    if (field.kind === 'chips') return <ChipsWithText field={field} sent={sent} />;
    return <OneField field={field} sent={sent} id={id} />;
  });
}

function OneField(props: { field: FormField; sent: RefusedForm | null; id: string }) {
  const { sent, id } = props;
  const { kind, first, choices = [], most, missing, suggestions, input, ...field } = props.field;
  const about = { ...field, id, fault: sent?.faults.get(field.name) };
  const value = sent ? sent.form.text(field.name) : first;
  const control = { required: missing !== undefined, ...controlAttributes(about) };
  if (kind === 'choice') {
    return (
      <Labelled {...about}>
        <select autofocus={input?.autofocus} {...control}>
          {choices.map((choice) => (
            <option value={choice.value} selected={choice.value === value}>
              {choice.name}
            </option>
          ))}
        </select>
      </Labelled>
    );
  }
  if (kind === 'long') {
    return (
      <Labelled {...about}>
        {/* Without maxlength, which cuts what is pasted without a word. */}
        <textarea rows={3} autofocus={input?.autofocus} {...control}>
          {value}
        </textarea>
      </Labelled>
    );
  }
  if (kind === 'tick') {
    return (
      <Labelled {...about} box>
        <input type="checkbox" value="yes" checked={sent?.form.has(field.name)} {...control} />
      </Labelled>
    );
  }
  const isKept = input?.type !== 'password' && input?.type !== 'file';
  const list: object | undefined = suggestions && { list: `${id}-list` };
  return (
    <>
      <TextField
        {...about}
        faults={sent?.faults}
        value={isKept ? value : undefined}
        input={{
          maxLength: most,
          required: control.required,
          autocomplete: 'off',
          ...list,
          ...input,
        }}
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

/** One checkbox for each choice; all are ticked before anything is sent. */
function Ticks({ field, sent }: { field: FormField; sent: RefusedForm | null }) {
  const { name, label, choices = [] } = field;
  const fault = sent?.faults.get(name);
  return (
    <fieldset>
      <legend>{label}</legend>
      {fault && <p class="fault">{fault}</p>}
      {choices.map((choice) => {
        const about = { name, id: idOfTick(name, choice.value), label: choice.name };
        const checked = sent ? ticked(field, sent.form).includes(choice.value) : true;
        return (
          <Labelled {...about} box>
            <input
              type="checkbox"
              value={choice.value}
              checked={checked}
              {...controlAttributes(about)}
            />
          </Labelled>
        );
      })}
    </fieldset>
  );
}

/** Chips, of which the last one shows a line of text for another value. */
function ChipsWithText({ field, sent }: { field: FormField; sent: RefusedForm | null }) {
  const { name, label, hint, choices = [], first = '', own, input } = field;
  const value = sent?.form.text(name) ?? first;
  const isOffered = choices.some((one) => one.value === value);
  const isOwn = own !== undefined && value !== '' && !isOffered;
  const typed = value === OWN ? sent?.form.text(idOfOwn(field)) : isOwn ? value : first;
  const fault = sent?.faults.get(name);
  return (
    <>
      <Chips
        name={name}
        label={label}
        hint={hint}
        id={name}
        of={[...choices, ...(own ? [{ value: OWN, name: own.chip }] : [])]}
        chosen={isOwn ? OWN : value}
        fault={isOwn ? undefined : fault}
      />
      {own && (
        <div class="details-of" data-for={OWN} data-own-of={name}>
          <TextField
            name={idOfOwn(field)}
            label={own.label}
            hint={own.hint}
            value={typed}
            faults={isOwn && fault !== undefined ? new Map([[idOfOwn(field), fault]]) : undefined}
            input={{ autocomplete: 'off', ...input }}
          />
        </div>
      )}
    </>
  );
}

interface PostFormProps extends Omit<FieldsProps, 'of'> {
  readonly action: string;
  /** The text of the button. Forms with several buttons bring their own. */
  readonly button: ComponentChildren;
  readonly kind?: 'primary' | 'danger';
  readonly fields?: readonly FormField[];
  /** Those of the fields that are folded: what is almost always right as it is. */
  readonly folded?: ReadonlySet<string>;
  readonly hidden?: Readonly<Record<string, string | number>>;
  readonly cancel?: string;
  readonly cancelText?: string;
  readonly class?: string;
  /** It has a file. */
  readonly isUpload?: boolean;
  /** A script can show the form as a dialog, and only the server checks it. */
  readonly dialog?: true;
  /** A script keeps what is typed under this name until it is saved. */
  readonly draft?: string;
  /** Names the draft on other pages; by default, the heading of the page does. */
  readonly draftTitle?: string;
  /** The name of another form whose draft this form has got. */
  readonly takesOver?: string;
  /** The fields of that draft that a script puts into this form, which is hidden until then. */
  readonly takesFields?: readonly string[];
  readonly children?: ComponentChildren;
}

/** Whether one of the fields came with another value than its first: a fold with it stays open. */
export function isChanged(
  fields: readonly FormField[],
  refused: RefusedForm | null | undefined,
): boolean {
  return fields.some(({ name, first = '' }) => refused && refused.form.text(name) !== first);
}

/** Whether the refused form holds more than its first values: otherwise there is no draft to keep. */
function isTyped({ refused, fields = [], hidden = {} }: PostFormProps): boolean {
  const firstOf = (name: string) => fields.find((field) => field.name === name)?.first ?? '';
  const sent = refused?.form.entries() ?? [];
  return sent.some(([name, value]) => !(name in hidden) && value.trim() !== firstOf(name));
}

/** A form that is posted: hidden fields, its children, its fields, and its button. */
export function PostForm(props: PostFormProps) {
  const { action, button, kind, fields = [], hidden = {}, cancel, dialog } = props;
  const { takesOver, takesFields, folded } = props;
  const shown = fields.filter(({ name }) => !folded?.has(name));
  const others = fields.filter(({ name }) => folded?.has(name));
  const end =
    typeof button === 'string' ? (
      <button type="submit" class={kind}>
        {button}
      </button>
    ) : (
      button
    );
  return (
    <form
      method="post"
      action={action}
      class={props.class}
      encType={props.isUpload ? 'multipart/form-data' : undefined}
      {...(dialog && { noValidate: true, 'data-dialog-form': true })}
      {...(props.draft !== undefined && { 'data-draft': props.draft })}
      data-draft-title={props.draftTitle}
      data-typed={(takesOver !== undefined && !takesFields) || isTyped(props) ? '' : undefined}
      data-takes-over={takesOver}
      data-takes-fields={takesFields?.join(' ')}
      hidden={takesFields !== undefined}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.children}
      <Fields of={shown} refused={props.refused} at={props.at} />
      {others.length > 0 && (
        <details class="further" open={others.some(({ name }) => props.refused?.faults.has(name))}>
          <summary>More</summary>
          <Fields of={others} refused={props.refused} at={props.at} />
        </details>
      )}
      {end && (dialog || fields.length > 0 || cancel) ? (
        <p class="actions">
          {end}
          {cancel && (
            <a class="button" href={cancel} {...(dialog && { 'data-close': true })}>
              {props.cancelText ?? 'Cancel'}
            </a>
          )}
        </p>
      ) : (
        end
      )}
    </form>
  );
}

/** Above the forms of a page: the faults of the one that was refused. */
export function RefusedSummary(props: { refused?: RefusedForm | null; focusesField?: true }) {
  const { refused, focusesField } = props;
  return refused ? <FaultSummary {...refused} focusesField={focusesField} /> : null;
}

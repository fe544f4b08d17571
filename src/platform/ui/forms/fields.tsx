import type { ComponentChildren, InputHTMLAttributes } from 'preact';

/** The faults of a form, by the name of the field. */
export type FieldFaults = ReadonlyMap<string, string>;

export interface FieldChoice {
  readonly value: string;
  readonly name: string;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly fault?: string;
  /** Needed where a page has the same form several times. */
  readonly id?: string;
}

/** A control with its label, hint and fault. A checkbox, or `box`, comes before its label. */
export function Labelled(props: FieldProps & { box?: boolean; children: ComponentChildren }) {
  const { name, label, hint, fault, id = name, box, children } = props;
  return (
    <div class={`field${box ? ' box' : ''}${fault ? ' wrong' : ''}`}>
      {box && children}
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {!box && children}
    </div>
  );
}

/** The attributes that connect a control to its label, hint and fault. */
export function controlAttributes({ name, hint, fault, id = name }: FieldProps) {
  const ids = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return {
    id,
    name,
    'aria-describedby': ids || undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
  };
}

interface TextFieldProps extends Omit<FieldProps, 'fault'> {
  readonly faults?: FieldFaults;
  readonly value?: string;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

export function TextField({ faults, value, input, ...props }: TextFieldProps) {
  const field = { ...props, fault: faults?.get(props.name) };
  const control = <input type="text" value={value} {...input} {...controlAttributes(field)} />;
  return (
    <Labelled {...field}>
      {input?.type === 'password' ? (
        <div class="password">
          {control}
          <ShowButton id={field.id ?? field.name} />
        </div>
      ) : (
        control
      )}
    </Labelled>
  );
}

/** Shows what is typed in a password field. Hidden without scripts. */
function ShowButton({ id }: { id: string }) {
  return (
    <button type="button" data-shows={id} aria-label="Show password" aria-pressed="false" hidden>
      Show
    </button>
  );
}

interface Chip extends FieldChoice {
  /** Chooses it. */
  readonly key?: string;
}

interface ChipsProps extends Omit<FieldProps, 'id'> {
  /** The start of the id of each radio button. */
  readonly id: string;
  readonly of: readonly Chip[];
  readonly chosen: string;
  /** The keys apply only while the group has the focus. */
  readonly local?: true;
}

/** Radio buttons that look like chips. */
export function Chips({ name, label, hint, fault, id, of, chosen, local }: ChipsProps) {
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <fieldset
      class="chips-of"
      aria-describedby={described || undefined}
      {...(local && { 'data-local-keys': true })}
    >
      <legend>{label}</legend>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {of.map(({ value, name: text, key }) => (
        <label class="chip" for={idOfTick(id, value)}>
          <input
            type="radio"
            id={idOfTick(id, value)}
            name={name}
            value={value}
            checked={value === chosen}
            aria-keyshortcuts={key}
            {...(key !== undefined && { [local ? 'data-digit' : 'data-key']: key })}
          />
          <span>{text}</span>
          {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
        </label>
      ))}
    </fieldset>
  );
}

/** The id of the box with this value. */
export function idOfTick(name: string, value: string): string {
  return `${name}-${value.replaceAll(':', '-')}`;
}

interface FaultSummaryProps {
  readonly faults?: FieldFaults;
  readonly ids?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** A script leads the focus to the first field with a fault, not to the summary. */
  readonly focusesField?: true;
}

/** Above a refused form: each fault, as a link to its field. */
export function FaultSummary({ faults, ids = {}, labels = {}, focusesField }: FaultSummaryProps) {
  if (!faults || faults.size === 0) return null;
  const idOf = (name: string) => ids[name] ?? name;
  const [first = ''] = faults.keys();
  return (
    <section
      class="notice bad"
      role="alert"
      tabIndex={-1}
      data-focus={focusesField ? idOf(first) : ''}
      aria-labelledby="faults"
    >
      <h2 id="faults">There is a problem</h2>
      <ul>
        {[...faults].map(([name, fault]) => (
          <li>
            <a href={`#${idOf(name)}`}>
              {labels[name] !== undefined && <b>{`${labels[name]}: `}</b>}
              {fault}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

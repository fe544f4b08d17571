import type {
  ComponentChildren,
  InputHTMLAttributes,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'preact';

/** What is wrong with a form, by the name of the field. */
export type FieldFaults = ReadonlyMap<string, string>;

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly faults?: FieldFaults;
  /** Given where a page has the same form several times. */
  readonly id?: string;
}

function Around(props: FieldProps & { children: ComponentChildren }) {
  const { name, label, hint, faults, id = name, children } = props;
  const fault = faults?.get(name);
  return (
    <div class={fault ? 'field wrong' : 'field'}>
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
      {children}
    </div>
  );
}

function describedBy({ name, hint, faults, id = name }: FieldProps) {
  const fault = faults?.has(name);
  const ids = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return {
    id,
    name,
    'aria-describedby': ids || undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
  };
}

export function TextField(
  props: FieldProps & { value?: string; input?: InputHTMLAttributes<HTMLInputElement> },
) {
  return (
    <Around {...props}>
      <input type="text" value={props.value} {...props.input} {...describedBy(props)} />
    </Around>
  );
}

export function TextArea(
  props: FieldProps & {
    value?: string;
    area?: TextareaHTMLAttributes<HTMLTextAreaElement>;
  },
) {
  return (
    <Around {...props}>
      <textarea rows={3} {...props.area} {...describedBy(props)}>
        {props.value}
      </textarea>
    </Around>
  );
}

export interface FieldChoice {
  readonly value: string;
  readonly name: string;
}

export function Select(
  props: FieldProps & {
    choices: readonly FieldChoice[];
    value?: string;
    select?: SelectHTMLAttributes<HTMLSelectElement>;
  },
) {
  return (
    <Around {...props}>
      <select {...props.select} {...describedBy(props)}>
        {props.choices.map(({ value, name }) => (
          <option value={value} selected={value === props.value}>
            {name}
          </option>
        ))}
      </select>
    </Around>
  );
}

export function Checkbox(props: FieldProps & { value: string; checked?: boolean }) {
  const { label, hint, id = props.name } = props;
  return (
    <div class="field box">
      <input type="checkbox" value={props.value} checked={props.checked} {...describedBy(props)} />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Above a form that was refused: each fault, as a link to its field. */
export function FaultSummary({
  faults,
  ids = {},
}: {
  faults?: FieldFaults;
  ids?: Record<string, string>;
}) {
  if (!faults || faults.size === 0) return null;
  return (
    <section class="notice bad" role="alert" tabIndex={-1} data-focus aria-labelledby="faults">
      <h2 id="faults">There is a problem</h2>
      <ul>
        {[...faults].map(([name, fault]) => (
          <li>
            <a href={`#${ids[name] ?? name}`}>{fault}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

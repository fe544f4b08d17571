import type { StaffCaller } from '../../platform/access/caller.js';
import type { VersionView } from '../../catalogue/catalogue.dto.js';
import type { ScheduledVersion } from '../../catalogue/versions/catalogue.errors.js';
import { FaultSummary, TextField } from '../../platform/ui/forms/fields.js';
import type { FormField, RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Notice } from '../../platform/ui/parts.js';
import { shortTime, toLocalInput } from '../../platform/kernel/time-words.js';
import { AdminLayout } from '../admin-layout.js';
import { versionPath } from './catalogue-parts.js';
import { changeInWords, Preview, type PreviewProps } from './catalogue-preview.js';

/** When a version is to go live, as sent. */
export interface WhenSent {
  readonly when: string;
  readonly at: string;
  readonly faults?: ReadonlyMap<string, string>;
}

export interface WhenProps {
  readonly version: VersionView;
  readonly sent?: WhenSent;
}

/** The first step of publishing: now, or at a time. */
export function WhenForm({ version, sent }: WhenProps) {
  const { number, state, activatesAt } = version;
  const isScheduled = state === 'scheduled' && activatesAt !== null;
  const when = sent?.when || (isScheduled ? 'later' : 'now');
  const at = sent?.at ?? (isScheduled ? toLocalInput(activatesAt) : '');
  const choices = [
    ['now', 'Now'],
    ['later', 'At a time'],
  ] as const;
  return (
    <form method="get" action={versionPath(number, 'publish')} noValidate>
      <FaultSummary faults={sent?.faults} ids={{ when: 'when-now' }} />
      <fieldset>
        <legend>Publish</legend>
        {choices.map(([value, name]) => (
          <div class="field box">
            <input
              type="radio"
              name="when"
              id={`when-${value}`}
              value={value}
              checked={value === when}
            />
            <label for={`when-${value}`}>{name}</label>
          </div>
        ))}
        <TextField
          name="at"
          label="Time"
          hint="In London. Only for “At a time”."
          faults={sent?.faults}
          value={at}
          input={{ type: 'datetime-local' }}
        />
      </fieldset>
      <p class="actions">
        <button type="submit" class="primary">
          {isScheduled ? 'Change the time' : 'Continue to publish'}
        </button>
      </p>
    </form>
  );
}

export const reasonField: FormField = {
  name: 'accept',
  label: 'Reason for this change',
  hint: 'It is kept in the audit trail.',
  most: 200,
  missing: 'Write the reason for this change.',
};

/** The schedules that a person has to cancel, by a box that names them; none without them. */
export function withdrawField(scheduled: readonly ScheduledVersion[], now: Date): FormField[] {
  if (scheduled.length === 0) return [];
  const names = scheduled.map(
    ({ number, label, activatesAt }) =>
      `version ${number} (${label}), scheduled for ${shortTime(activatesAt, now)}`,
  );
  return [
    {
      name: 'withdraw',
      kind: 'tick',
      label: `Cancel the publication of ${names.join(', and of ')}`,
      hint: 'It becomes a draft and does not go live by itself. To keep its changes, apply them to the new live version afterwards, and schedule it again.',
      missing: `Confirm that ${names.join(', and ')}, will not go live; or cancel.`,
    },
  ];
}

interface ConfirmProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly preview: PreviewProps;
  /** The versions that will not go live if this one does. */
  readonly scheduled: readonly ScheduledVersion[];
  /** Null: now. */
  readonly at: Date | null;
  readonly now: Date;
  readonly refused?: RefusedForm | null;
  readonly problem?: string;
}

/** The second step: what will happen, and a button that says it. */
export function ConfirmPage(props: ConfirmProps) {
  const { viewer, version, preview, scheduled, at, now, refused, problem } = props;
  const { number, state } = version;
  const isRestore = state === 'retired';
  const verb = isRestore ? 'Restore' : 'Publish';
  const changes = changeInWords(preview.diff);
  const what = isRestore
    ? `version ${number}${changes === null ? '' : `: ${changes}`}`
    : (changes ?? `version ${number}`);
  const button = isRestore
    ? `Restore ${what}, now`
    : `Publish ${what} ${at === null ? 'now' : timeInWords(at, now)}`;
  const hidden = {
    when: at === null ? 'now' : 'later',
    at: at === null ? '' : toLocalInput(at),
    live: preview.from ?? '',
    ...(scheduled.length > 0 && { scheduled: scheduled.map(({ number }) => number).join(',') }),
  };
  const fields = [
    ...(preview.rails.length > 0 ? [reasonField] : []),
    ...withdrawField(scheduled, now),
  ];
  return (
    <AdminLayout title={`${verb} version ${number}`} viewer={viewer} here="catalogue">
      <p class="crumb">
        <a href={versionPath(number)}>{`Version ${number}: ${version.label}`}</a>
      </p>
      {problem !== undefined && <Notice kind="bad" title={problem} />}
      <RefusedSummary refused={refused} />
      <Preview {...preview} />
      <h2>{at === null ? `${verb} now` : `${verb} at a time`}</h2>
      <PostForm
        action={versionPath(number, isRestore ? 'rollback' : 'activate')}
        hidden={hidden}
        fields={fields}
        refused={refused}
        button={button}
        kind="primary"
        cancel={versionPath(number)}
      >
        <p class="hint">
          {isRestore
            ? 'Publishes this content for all clients at once, under a new number.'
            : at === null
              ? `Goes live for all clients at once.${preview.from === null ? '' : ` To take it back, open version ${preview.from} and restore it.`}`
              : 'All instances switch at that time. Until then, you can cancel the schedule.'}
        </p>
      </PostForm>
    </AdminLayout>
  );
}

/** `at 09:30` today, `on Tue 1 Dec, 09:30` on another day. */
function timeInWords(at: Date, now: Date): string {
  const time = shortTime(at, now);
  return time.length === 5 ? `at ${time}` : `on ${time}`;
}

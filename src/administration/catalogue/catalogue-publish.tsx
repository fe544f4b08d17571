import type { StaffCaller } from '../../platform/access/caller.js';
import type { VersionView } from '../../catalogue/catalogue.dto.js';
import type { FormField, RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Notice } from '../../platform/ui/parts.js';
import { AdminLayout } from '../admin-layout.js';
import { isTooOld, TooOld, versionPath } from './catalogue-parts.js';
import { changeInWords, Preview, type PreviewProps } from './catalogue-preview.js';

export const reasonField: FormField = {
  name: 'accept',
  label: 'Reason for this change',
  hint: 'It is kept in the audit trail.',
  most: 200,
  missing: 'Write the reason for this change.',
};

interface ConfirmProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly preview: PreviewProps;
  readonly refused?: RefusedForm | null;
  readonly problem?: string;
}

/** The second step: what will happen, and a button that says it. */
export function ConfirmPage(props: ConfirmProps) {
  const { viewer, version, preview, refused, problem } = props;
  const { number, state } = version;
  const isRestore = state === 'retired';
  const isOld = isTooOld(version, preview.from);
  const verb = isRestore ? 'Restore' : 'Publish';
  const changes = changeInWords(preview.diff);
  const button = isRestore
    ? `Restore version ${number} now${changes === null ? '' : ` (${changes})`}`
    : `Publish ${changes ?? `version ${number}`} now`;
  const fields = preview.rails.length > 0 ? [reasonField] : [];
  return (
    <AdminLayout title={`${verb} version ${number}`} viewer={viewer} here="catalogue">
      <p class="crumb">
        <a href={versionPath(number)}>{`Version ${number}: ${version.label}`}</a>
      </p>
      {problem !== undefined && <Notice kind="bad" title={problem} />}
      <RefusedSummary refused={refused} />
      <Preview {...preview} rails={isOld ? [] : preview.rails} />
      {isOld ? (
        <TooOld live={preview.from} />
      ) : (
        <>
          <h2>{`${verb} now`}</h2>
          <PostForm
            action={versionPath(number, isRestore ? 'restore' : 'activate')}
            hidden={{ live: preview.from ?? '' }}
            fields={fields}
            refused={refused}
            button={button}
            kind="primary"
            cancel={versionPath(number)}
          >
            <p class="hint">
              {isRestore
                ? 'Publishes this content for all clients at once, under a new number.'
                : `Goes live for all clients at once.${preview.from === null ? '' : ` To take it back, open version ${preview.from} and restore it.`}`}
            </p>
          </PostForm>
        </>
      )}
    </AdminLayout>
  );
}

import type { StaffCaller } from '../../platform/access/caller.js';
import { FaultTable } from '../../platform/ui/fault-table.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Notice } from '../../platform/ui/parts.js';
import { Table } from '../../platform/ui/table.js';
import { deliveryWords } from '../staff/order-words.js';
import type { DeliveryImport } from './delivery-import.service.js';
import { COLUMNS } from './updates-file.js';
import { counted, whole } from '../../platform/kernel/counts.js';

interface DeliveryImportProps {
  readonly viewer: StaffCaller;
  readonly text?: string;
  readonly report?: DeliveryImport;
  readonly isDone?: boolean;
}

const file: FormField = {
  name: 'file',
  label: 'File',
  hint: 'CSV, as spreadsheets save it with commas.',
  input: { type: 'file', accept: '.csv,text/csv' },
};

const pasted: FormField = {
  name: 'updates',
  label: 'Updates',
  hint: `Or paste the rows. The first one names the columns: ${COLUMNS.join(', ')}.`,
  kind: 'long',
};

/** A file of updates: first what it would change, or its faults, then the import. */
export function DeliveryImportPage({ viewer, text = '', report, isDone }: DeliveryImportProps) {
  const canImport = report && !isDone && report.faults.total === 0 && report.changed > 0;
  return (
    <Layout title="Import delivery updates" viewer={viewer} here="delivery-updates">
      {report && <Report report={report} isDone={isDone ?? false} />}
      <PostForm
        isUpload
        fields={[file, { ...pasted, first: isDone ? '' : text }]}
        action="/staff/delivery-updates"
        button={
          <>
            {canImport && (
              <button type="submit" class="primary" name="then" value="import">
                {`Import ${counted(report.changed, 'change')}`}
              </button>
            )}
            <button type="submit" class={canImport ? undefined : 'primary'}>
              Preview
            </button>
          </>
        }
      />
    </Layout>
  );
}

function Report({ report, isDone }: { report: DeliveryImport; isDone: boolean }) {
  const { rows, orders, changed, faults, changes } = report;
  const read = `${counted(rows, 'row')} about ${counted(orders, 'order')}`;
  if (faults.total > 0) {
    return (
      <Notice
        kind="bad"
        title={`Nothing is imported: ${counted(faults.total, 'fault')} in ${read}.`}
      >
        <FaultTable faults={faults} again="Fix these, and preview the file again." />
      </Notice>
    );
  }
  return (
    <>
      <Notice
        kind={isDone ? 'good' : 'plain'}
        title={`${read}: ${whole(changed)} ${isDone ? 'changed' : 'would change'}, ${counted(orders - changed, 'is', 'are')} so already.`}
      />
      {changes.length > 0 && (
        <Table
          label="Changes"
          captioned
          caption={changed > changes.length ? `The first ${changes.length} changes` : 'Changes'}
          rows={changes}
          columns={[
            {
              name: 'Order',
              of: ({ order }) => <a href={`/staff/orders/${order}`}>{order}</a>,
              heads: true,
            },
            { name: 'Change', of: (change) => deliveryWords((name) => change[name] ?? '') },
            { name: 'Note', of: ({ note }) => note },
          ]}
        />
      )}
    </>
  );
}

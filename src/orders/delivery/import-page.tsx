import type { StaffCaller } from '../../platform/access/caller.js';
import { FaultTable } from '../../platform/ui/fault-table.js';
import { controlAttributes, Labelled } from '../../platform/ui/forms/fields.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Notice, whole } from '../../platform/ui/parts.js';
import { Table } from '../../platform/ui/table.js';
import { deliveryWords } from '../staff/order-words.js';
import type { DeliveryImport } from './delivery-import.service.js';
import { COLUMNS } from './updates-file.js';

interface DeliveryImportProps {
  readonly viewer: StaffCaller;
  readonly text?: string;
  readonly report?: DeliveryImport;
  readonly isDone?: boolean;
}

const columns = COLUMNS.join(', ');

/** A file of updates: first what it would change, or its faults, then the import. */
export function DeliveryImportPage({ viewer, text = '', report, isDone }: DeliveryImportProps) {
  const canImport = report && !isDone && report.faults.total === 0 && report.changed > 0;
  const about = { name: 'updates', label: 'Updates', hint: columns };
  return (
    <Layout title="Import delivery updates" viewer={viewer} here="delivery-updates">
      {report && <Report report={report} isDone={isDone ?? false} />}
      <PostForm
        isUpload
        action="/staff/delivery-updates"
        button={
          <p class="actions">
            {canImport && (
              <button type="submit" class="primary" name="then" value="import">
                {`Import ${whole(report.changed)} ${report.changed === 1 ? 'change' : 'changes'}`}
              </button>
            )}
            <button type="submit" class={canImport ? undefined : 'primary'}>
              Preview
            </button>
          </p>
        }
      >
        <Labelled name="file" label="File" hint="CSV, as spreadsheets save it with commas.">
          <input
            type="file"
            accept=".csv,text/csv"
            {...controlAttributes({ name: 'file', label: 'File', hint: 'CSV' })}
          />
        </Labelled>
        <Labelled
          {...about}
          hint={`Or paste the rows. The first one names the columns: ${columns}.`}
        >
          <textarea rows={8} {...controlAttributes(about)}>
            {isDone ? '' : text}
          </textarea>
        </Labelled>
      </PostForm>
    </Layout>
  );
}

function Report({ report, isDone }: { report: DeliveryImport; isDone: boolean }) {
  const { rows, orders, changed, faults, changes } = report;
  const read = `${whole(rows)} ${rows === 1 ? 'row' : 'rows'} about ${whole(orders)} ${orders === 1 ? 'order' : 'orders'}`;
  const unchanged = orders - changed;
  if (faults.total > 0) {
    return (
      <Notice
        kind="bad"
        title={`Nothing is imported: ${whole(faults.total)} ${faults.total === 1 ? 'fault' : 'faults'} in ${read}.`}
      >
        <FaultTable faults={faults} again="Fix these, and preview the file again." />
      </Notice>
    );
  }
  return (
    <>
      <Notice
        kind={isDone ? 'good' : 'plain'}
        title={`${read}: ${whole(changed)} ${isDone ? 'changed' : 'would change'}, ${whole(unchanged)} ${unchanged === 1 ? 'is' : 'are'} so already.`}
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

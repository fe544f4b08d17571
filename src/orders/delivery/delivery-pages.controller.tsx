import { Get, Param, Post } from '@nestjs/common';
import { Takes } from '../../platform/http/json-body.js';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { type InputForm, send } from '../../platform/ui/forms/input-form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { OrderNotFound } from '../record/orders.errors.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import { orderMessages } from '../staff/order-messages.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import { formWithFile } from '../../platform/ui/forms/file-form.js';
import {
  DeliveryImportService,
  UpdatesRejected,
  type DeliveryImport,
} from './delivery-import.service.js';
import { CancellationsService } from './cancellations.service.js';
import {
  cancellationForm,
  CancellationPage,
  type DeliveredOrder,
  deliveryForm,
  DeliveryPage,
  doneForm,
} from './delivery-form.js';
import { OrderDeliveriesService } from './order-deliveries.service.js';
import type { DeliveryChangeBody } from './staff-delivery.dto.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { FaultTable } from '../../platform/ui/fault-table.js';
import {
  type FormField,
  type RefusedForm,
  refuseForm,
  withStored,
} from '../../platform/ui/forms/form-spec.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Notice } from '../../platform/ui/parts.js';
import { Table } from '../../platform/ui/table.js';
import { deliveryWords } from '../staff/order-words.js';
import { COLUMNS } from './updates-file.js';
import { counted, whole } from '../../platform/kernel/counts.js';

/** Of a file of updates: the rows that it may have, with notes. */
const MOST_BYTES = 2 * 1_024 * 1_024;
/** Characters of rows with faults that the page shows again, to be corrected there. */
const MOST_SHOWN_AGAIN = 64 * 1_024;

@StaffPages('staff/delivery-updates', 'manager')
export class DeliveryUpdatePagesController {
  constructor(private readonly imports: DeliveryImportService) {}

  @Get()
  showUpload(@Visited() { viewer }: Visit) {
    return page(<DeliveryImportPage viewer={viewer} />);
  }

  /** Shows what would change, or imports it. */
  @Post()
  @Takes({ files: true })
  async upload(@Visited() visit: Visit) {
    const { viewer } = visit;
    const form = await formWithFile(visit, 'updates', MOST_BYTES);
    const text = form.text('updates');
    if (form.fileFault) {
      const { field, detail } = form.fileFault;
      const refused = refuseForm([file, pasted], form, new Map([[field, detail]]));
      return page(<DeliveryImportPage viewer={viewer} text={text} refused={refused} />, 422);
    }
    const isDone = form.text('then') === 'import';
    try {
      const report = isDone
        ? await this.imports.run(text, actorOf(viewer))
        : await this.imports.preview(text);
      const status = report.faults.total > 0 ? 422 : 200;
      return page(
        <DeliveryImportPage viewer={viewer} text={text} report={report} isDone={isDone} />,
        status,
      );
    } catch (error) {
      if (!(error instanceof UpdatesRejected)) throw error;
      const { report } = error;
      return page(<DeliveryImportPage viewer={viewer} text={text} report={report} />, 422);
    }
  }
}

/** The delivery of an accepted order. */
@StaffPages('staff', 'agent')
export class DeliveryPagesController {
  constructor(
    private readonly details: OrderDetailService,
    private readonly deliveries: OrderDeliveriesService,
    private readonly cancellations: CancellationsService,
    private readonly clock: Clock,
  ) {}

  @Get('orders/:reference/delivery')
  async showDelivery(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    const now = this.clock.now();
    return page(<DeliveryPage viewer={viewer} now={now} order={await this.accepted(reference)} />);
  }

  @Post('orders/:reference/delivery')
  async changeDelivery(@Visited() visit: Visit, @Param('reference') reference: string) {
    const order = await this.accepted(reference);
    return this.change(visit, order, deliveryForm(order));
  }

  /** Three keys: one milestone is done today. */
  @Post('orders/:reference/delivery/done')
  async markDone(@Visited() visit: Visit, @Param('reference') reference: string) {
    const order = await this.accepted(reference);
    return this.change(visit, order, doneForm(londonDay(this.clock.now())));
  }

  private async change(
    { viewer, form }: Visit,
    { orderId, reference }: DeliveredOrder,
    about: InputForm<DeliveryChangeBody>,
  ) {
    const sent = await send(about, form, ({ version, ...change }) =>
      this.deliveries.change({ orderId, version }, change, viewer),
    );
    if ('refused' in sent) {
      const order = await this.accepted(reference);
      const { conflict, status } = sent;
      const { fields } = deliveryForm(order);
      const typed = status === 409 ? withStored(form, fields, order.version) : form;
      const refused = { ...sent.refused, form: typed };
      const refusal = about.fields.length > 0 ? { conflict, refused } : { conflict };
      const now = this.clock.now();
      return page(
        <DeliveryPage viewer={viewer} now={now} order={order} refusal={refusal} />,
        status,
      );
    }
    const path = `${reference}/delivery`;
    return orderMessages.redirect(`/staff/orders/${reference}`, 'delivery-changed', path);
  }

  @Get('orders/:reference/cancellation-answer')
  async showCancellation(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    return page(<CancellationPage viewer={viewer} order={await this.accepted(reference)} />);
  }

  @Post('orders/:reference/cancellation-answer')
  async answerCancellation(@Visited() { viewer, form }: Visit, @Param('reference') asked: string) {
    const order = await this.accepted(asked);
    const { orderId, reference } = order;
    // The form starts with an amount, which does not count where the delivery goes on.
    const refusal = await send(cancellationForm(order), form, ({ version, amount, ...answer }) =>
      this.cancellations.answer(
        { orderId, version },
        { ...answer, ...(answer.accept && { amount }) },
        viewer,
      ),
    );
    if ('refused' in refusal) {
      const changed = await this.accepted(reference);
      return page(
        <CancellationPage viewer={viewer} order={changed} refusal={refusal} />,
        refusal.status,
      );
    }
    const path = `${reference}/cancellation-answer`;
    return orderMessages.redirect(`/staff/orders/${reference}`, 'cancellation-answered', path);
  }

  /** @throws {OrderNotFound} also for an order that is not accepted */
  private async accepted(asked: string): Promise<DeliveredOrder> {
    const { order } = await this.details.findByReference(asked);
    const { delivery } = order;
    if (delivery) return { ...order, delivery };
    throw new OrderNotFound();
  }
}

interface DeliveryImportProps {
  readonly viewer: StaffCaller;
  readonly text?: string;
  readonly report?: DeliveryImport;
  readonly isDone?: boolean;
  readonly refused?: RefusedForm;
}

const file: FormField = {
  name: 'file',
  label: 'File',
  hint: 'A workbook (.xlsx), or CSV as any spreadsheet saves it.',
  input: { type: 'file', accept: '.csv,.xlsx,text/csv' },
};

const pasted: FormField = {
  name: 'updates',
  label: 'Updates',
  hint: `Or paste the rows. The first one names the columns: ${COLUMNS.join(', ')}.`,
  kind: 'long',
};

/** A file of updates: first what it would change, or its faults, then the import. */
function DeliveryImportPage({ viewer, text = '', report, isDone, refused }: DeliveryImportProps) {
  const hasFaults = report !== undefined && report.faults.total > 0;
  const canImport = report && !isDone && !hasFaults && report.changed > 0;
  const isShownAgain = !isDone && !(hasFaults && text.length > MOST_SHOWN_AGAIN);
  return (
    <Layout
      title="Import delivery updates"
      viewer={viewer}
      here="deliveries"
      help="delivery-updates"
    >
      <p class="crumb">
        <a href="/staff/queue?view=date-at-risk">Deliveries</a>
      </p>
      <RefusedSummary refused={refused} />
      {report && <Report report={report} isDone={isDone ?? false} />}
      <PostForm
        isUpload
        refused={refused}
        fields={[file, { ...pasted, first: isShownAgain ? text : '' }]}
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

type UpdateRow = DeliveryImport['changes'][number];

function Report({ report, isDone }: { report: DeliveryImport; isDone: boolean }) {
  const { rows, orders, changed, faults, warned, changes } = report;
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
      {warned > 0 && (
        <Notice kind="soon" title={`Check the days of ${counted(warned, 'order')}.`}>
          <p>A milestone is before one that usually comes first.</p>
        </Notice>
      )}
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
            ...(warned > 0 ? [{ name: 'Warning', of: ({ warning }: UpdateRow) => warning }] : []),
          ]}
        />
      )}
    </>
  );
}

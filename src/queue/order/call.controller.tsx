import { isIndicative } from './order-forms.js';
import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { SeeOther, type WrittenHtml } from '../../platform/http/written.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import { StaffOffersService } from '../../orders/offers/staff-offers.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import { OrderDetailService } from '../../orders/staff/order-detail.service.js';
import { TakeNextService } from '../lists/take-next.service.js';
import { ChargeOpen, NotPermitted, OrderMoved } from '../../orders/record/orders.errors.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { messageOfTaken } from '../../orders/staff/order-messages.js';
import {
  OrdersContextService,
  type OrdersContext,
} from '../../orders/staff/orders-context.service.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { canRecordCall, readCall, type SentCall } from './call-form.js';
import { refuseCall, CallPanel } from './call-panel.js';
import { OrderPage } from './order-view.js';
import { conflictText } from './timeline.js';
import { Layout } from '../../platform/ui/layout.js';
import { askerOf } from '../../orders/staff/order-words.js';
import { OrderHead } from './order-head.js';

/** The call panel of an order with what is needed for the call. */
function CallPage({ detail, ...context }: OrdersContext & { detail: OrderDetail }) {
  const { order } = detail;
  const title = `${order.reference}, ${askerOf(order)}`;
  return (
    <Layout title={title} viewer={context.viewer} help="record-a-call">
      <p class="crumb">
        <a href={`/staff/orders/${order.reference}`}>View order</a>
      </p>
      <div data-dialog-form>
        <OrderHead detail={detail} {...context} />
        <CallPanel order={order} {...context} />
      </div>
    </Layout>
  );
}

/** The call panel of an order. */
@StaffPages('staff', 'agent')
export class CallController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly details: OrderDetailService,
    private readonly actions: OrderActionsService,
    private readonly nextOrders: TakeNextService,
    private readonly offers: StaffOffersService,
  ) {}

  /** The panel alone: a script shows it beside a row of a list. */
  @Get('orders/:reference/call')
  async showCall(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    const detail = await this.details.findByReference(reference);
    return page(<CallPage {...await this.context.of(viewer)} detail={detail} />);
  }

  /** Saves the contact, its next step and the note; shows the order again if that is not possible. */
  @Post('orders/:reference/call')
  async saveCall(@Visited() { viewer, form }: Visit, @Param('reference') reference: string) {
    const detail = await this.details.findByReference(reference);
    const offersSteps = canRecordCall(detail.order, viewer);
    const times = await this.context.of(viewer);
    const call = readCall(form, times, offersSteps, isIndicative(detail.order));
    if (call.faults.size > 0) return this.draw(detail, viewer, form, { faults: call.faults });
    try {
      await this.save(detail, call, form.number('version'), viewer);
    } catch (error) {
      const isOpen = error instanceof ChargeOpen;
      if (!(isOpen || error instanceof OrderMoved || error instanceof NotPermitted)) throw error;
      const { orderId } = detail.order;
      const { timeline } = await this.details.find(orderId);
      const { now } = await this.context.of(viewer);
      const change = conflictText(timeline, form.number('version'), viewer.staffId, now);
      return this.draw(await this.details.find(orderId), viewer, form, {
        conflict: (isOpen ? null : change) ?? error.detail,
        status: error.status,
      });
    }
    return this.goOn(detail.order.reference, call.said, form.text('then') === 'next', viewer);
  }

  /** Takes the viewer's last move back. */
  @Post('orders/:reference/undo')
  async undo(@Visited() { viewer, form }: Visit, @Param('reference') reference: string) {
    const { order } = await this.details.findByReference(reference);
    const seen = { orderId: order.orderId, version: form.number('version') };
    const said = await this.actions.undo(seen, viewer).then(
      () => 'undone',
      (error: unknown) => {
        if (error instanceof OrderMoved || error instanceof NotPermitted) return 'too-late';
        throw error;
      },
    );
    return new SeeOther(`/staff/orders/${order.reference}?said=${said}`);
  }

  private async save(
    { order: { orderId } }: OrderDetail,
    { moves, note }: SentCall,
    version: number,
    viewer: StaffCaller,
  ): Promise<void> {
    if (moves.length === 0) await this.actions.addNote(orderId, note, viewer);
    else await this.actions.moveAll({ orderId, version }, moves, viewer);
  }

  /** To the order, or to the next one. The address names the draft that is saved. */
  private async goOn(reference: string, said: string, isNext: boolean, viewer: StaffCaller) {
    const saved = `saved=${reference}/call`;
    if (!isNext) return new SeeOther(`/staff/orders/${reference}?said=${said}&${saved}`);
    const { order, why } = await this.nextOrders.take(viewer);
    if (order === null || why === null) {
      return new SeeOther(`/staff/queue?said=nothing-to-take&${saved}`);
    }
    // A note cannot be undone: no notice of that says that it is saved.
    const noted = said === 'note' ? `&noted=${reference}` : '';
    const message = messageOfTaken(why);
    return new SeeOther(`/staff/orders/${order.reference}?said=${message}${noted}&${saved}`);
  }

  private async draw(
    detail: OrderDetail,
    viewer: StaffCaller,
    form: Form,
    about: { faults?: ReadonlyMap<string, string>; conflict?: string; status?: number },
  ): Promise<WrittenHtml> {
    const { faults = new Map<string, string>(), conflict, status = 422 } = about;
    const context = await this.context.of(viewer);
    const refused = refuseCall(form, faults, context);
    const margins = await this.offers.margins(detail.offers, viewer);
    const neighbours = await this.details.neighbours(detail.order);
    const shown = { detail, neighbours, margins, viewers: [], said: null, refused, conflict };
    return page(<OrderPage {...context} {...shown} />, status);
  }
}

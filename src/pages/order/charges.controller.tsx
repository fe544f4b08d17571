import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../access/caller.js';
import { OrderChargesService } from '../../follow-up/charges/order-charges.service.js';
import type { OrderDetail } from '../../follow-up/queue/detail.dto.js';
import { OrderDetailService } from '../../follow-up/queue/order-detail.service.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import type { ChargeCategory } from '../../orders/charges/charge-states.js';
import type { OrderCharge } from '../../orders/charges/charges.dto.js';
import { ChargeAnswered, ChargeNotFound } from '../../orders/charges/charges.errors.js';
import { ChargesService } from '../../orders/charges/charges.service.js';
import { OrderNotFound } from '../../orders/orders.errors.js';
import { Problem } from '../../problems/problem.js';
import { checkForm, plainAmount, refuseForm, type RefusedForm } from '../forms/form-spec.js';
import { type Visit, Visited } from '../forms/form.js';
import { type FlashCode, redirectTo } from '../shell/flash-messages.js';
import { OrdersContextService } from '../shell/orders-context.service.js';
import { page } from '../shell/render.js';
import { StaffPages } from '../shell/staff-pages.js';
import { fromLocalInput } from '../shell/times.js';
import { answerFields, AnswerPage, proposalFields, ProposalPage } from './charge-forms.js';

/** What a form is drawn with again, and the status of the response. */
interface Redraw {
  readonly refused?: RefusedForm | null;
  readonly conflict?: string;
  readonly status?: number;
}

interface ChargePath {
  readonly reference: string;
  readonly chargeId: string;
}

/** The extra charges of an order. */
@StaffPages('staff', 'agent')
export class ChargePagesController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly details: OrderDetailService,
    private readonly orderCharges: OrderChargesService,
    private readonly charges: ChargesService,
  ) {}

  @Get('orders/:reference/charge')
  async showProposal(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    return this.drawProposal(await this.details.findByReference(reference), viewer);
  }

  @Post('orders/:reference/charge')
  async propose(@Visited() { viewer, form }: Visit, @Param('reference') reference: string) {
    const detail = await this.details.findByReference(reference);
    const { now } = await this.context.of(viewer);
    const fields = proposalFields(detail.order, now, now);
    const refused = checkForm(fields, form);
    if (refused) return this.drawProposal(detail, viewer, { refused, status: 422 });
    const seen = { orderId: detail.order.orderId, version: form.number('version') };
    const proposal = {
      category: form.text('category') as ChargeCategory,
      amount: Number(plainAmount(form.text('amount'))),
      note: form.text('note'),
      dueAt: fromLocalInput(form.text('dueAt')) ?? undefined,
    };
    try {
      const { charge } = await this.orderCharges.propose(seen, proposal, viewer);
      const isCovered = charge.state === 'accepted';
      const said = isCovered ? 'charge-covered' : 'charge-proposed';
      const { reference: order } = detail.order;
      return new SeeOther(`/staff/orders/${order}?said=${said}&saved=${order}/charge`);
    } catch (error) {
      if (!(error instanceof Problem) || error instanceof OrderNotFound) throw error;
      const { status, detail: conflict } = error;
      const latest = await this.details.find(seen.orderId);
      const typed = refuseForm(fields, form, new Map<string, string>());
      return this.drawProposal(latest, viewer, { refused: typed, conflict, status });
    }
  }

  @Post('orders/:reference/charges/:chargeId/withdraw')
  async withdraw(@Visited() { viewer }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    return this.back(order.reference, 'charge-withdrawn', () =>
      this.orderCharges.withdraw(order.orderId, charge.chargeId, viewer),
    );
  }

  @Get('orders/:reference/charges/:chargeId/answer')
  async showAnswer(@Visited() { viewer }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    if (charge.state !== 'awaitingResponse') {
      const conflict = new ChargeAnswered(charge.state).detail;
      return page(<AnswerPage {...{ viewer, order, charge, conflict }} fields={[]} />, 409);
    }
    return page(<AnswerPage {...{ viewer, order, charge }} fields={answerFields} />);
  }

  @Post('orders/:reference/charges/:chargeId/answer')
  async recordAnswer(@Visited() { viewer, form }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    const refused = checkForm(answerFields, form);
    if (refused) {
      return page(
        <AnswerPage {...{ viewer, order, charge, refused }} fields={answerFields} />,
        422,
      );
    }
    const answer = { accept: form.text('accept') === 'yes', by: form.text('by') };
    return this.back(
      order.reference,
      'charge-answered',
      () => this.orderCharges.recordAnswer(order.orderId, charge.chargeId, answer, viewer),
      `${order.reference}/charges/${charge.chargeId}/answer`,
    );
  }

  /** @throws {OrderNotFound | ChargeNotFound} */
  private async find({
    reference,
    chargeId,
  }: ChargePath): Promise<Pick<OrderDetail, 'order'> & { readonly charge: OrderCharge }> {
    const { order, charges } = await this.details.findByReference(reference);
    const charge = charges.find((one) => one.chargeId === chargeId);
    if (charge) return { order, charge };
    throw new ChargeNotFound();
  }

  /** To the order, which says what was done, or that the charge had ended before. */
  private async back(
    reference: string,
    said: FlashCode,
    work: () => Promise<unknown>,
    draft?: string,
  ): Promise<SeeOther> {
    const path = `/staff/orders/${reference}`;
    try {
      await work();
      return redirectTo(path, said, draft);
    } catch (error) {
      if (error instanceof ChargeAnswered) return redirectTo(path, 'charge-ended', draft);
      throw error;
    }
  }

  private async drawProposal(
    { order }: OrderDetail,
    viewer: StaffCaller,
    { refused, conflict, status }: Redraw = {},
  ): Promise<WrittenHtml> {
    const { now } = await this.context.of(viewer);
    const fields = proposalFields(order, this.charges.usualDueAt(), now);
    return page(<ProposalPage {...{ viewer, order, fields, refused, conflict }} />, status);
  }
}

import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { StaffCharge } from '../charges/order-charges.dto.js';
import { OrderChargesService } from '../charges/order-charges.service.js';
import type { OrderDetail } from '../lists/detail.dto.js';
import { OrderDetailService } from '../lists/order-detail.service.js';
import { SeeOther, type WrittenHtml } from '../../platform/http/written-html.js';
import type { ChargeCategory } from '../../orders/record/charge-states.js';
import { ChargeAnswered, ChargeNotFound } from '../../orders/charges/charges.errors.js';
import { ChargesService } from '../../orders/charges/charges.service.js';
import { ClientNoticesService } from '../../orders/staff/client-notices.service.js';
import { NotPermitted, OrderNotFound } from '../../orders/record/orders.errors.js';
import { Problem } from '../../platform/problems/problem.js';
import {
  checkForm,
  plainAmount,
  refuseForm,
  type RefusedForm,
} from '../../platform/ui/forms/form-spec.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { codeOfNews, orderMessages, type OrderMessage } from '../../orders/staff/order-messages.js';
import { OrdersContextService } from '../../orders/staff/orders-context.service.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { fromLocalInput } from '../../platform/kernel/time-words.js';
import {
  answerFields,
  AnswerPage,
  type ChargeableOrder,
  proposalFields,
  ProposalPage,
} from './charge-forms.js';

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
    private readonly notices: ClientNoticesService,
  ) {}

  @Get('orders/:reference/charge')
  async showProposal(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    return this.drawProposal(chargeable(await this.details.findByReference(reference)), viewer);
  }

  @Post('orders/:reference/charge')
  async propose(@Visited() { viewer, form }: Visit, @Param('reference') reference: string) {
    const order = chargeable(await this.details.findByReference(reference));
    const { now } = await this.context.of(viewer);
    const fields = proposalFields(order, now, now);
    const refused = checkForm(fields, form);
    if (refused) return this.drawProposal(order, viewer, { refused, status: 422 });
    const seen = { orderId: order.orderId, version: form.number('version') };
    const proposal = {
      category: form.text('category') as ChargeCategory,
      amount: Number(plainAmount(form.text('amount'))),
      note: form.text('note'),
      dueAt: fromLocalInput(form.text('dueAt')) ?? undefined,
    };
    try {
      const { charge } = await this.orderCharges.propose(seen, proposal, viewer);
      const said =
        charge.state === 'accepted'
          ? 'charge-covered'
          : await this.newsOf('charge-proposed', seen.orderId);
      return new SeeOther(
        `/staff/orders/${order.reference}?said=${said}&saved=${order.reference}/charge`,
      );
    } catch (error) {
      if (!(error instanceof Problem) || error instanceof OrderNotFound) throw error;
      const { status, detail: conflict } = error;
      const latest = chargeable(await this.details.find(seen.orderId));
      const typed = refuseForm(fields, form, new Map<string, string>());
      return this.drawProposal(latest, viewer, { refused: typed, conflict, status });
    }
  }

  @Post('orders/:reference/charges/:chargeId/withdraw')
  async withdraw(@Visited() { viewer }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    const said = await this.newsOf('charge-withdrawn', order.orderId);
    return this.back(order.reference, said, () =>
      this.orderCharges.withdraw(order.orderId, charge.chargeId, viewer),
    );
  }

  private async newsOf(news: 'charge-proposed' | 'charge-withdrawn', orderId: string) {
    return codeOfNews(news, await this.notices.reach(orderId, news));
  }

  @Get('orders/:reference/charges/:chargeId/answer')
  async showAnswer(@Visited() { viewer }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    if (charge.state !== 'awaitingResponse') {
      const conflict = new ChargeAnswered(charge.state).detail;
      return page(<AnswerPage {...{ viewer, order, charge, conflict }} fields={[]} />, 409);
    }
    const fields = answerFields(charge, viewer);
    return page(<AnswerPage {...{ viewer, order, charge, fields }} />);
  }

  @Post('orders/:reference/charges/:chargeId/answer')
  async recordAnswer(@Visited() { viewer, form }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    const fields = answerFields(charge, viewer);
    const about = { viewer, order, charge, fields };
    const refused = checkForm(fields, form);
    if (refused) return page(<AnswerPage {...{ ...about, refused }} />, 422);
    const answer = { accept: form.text('accept') === 'yes', by: form.text('by') };
    try {
      return await this.back(
        order.reference,
        'charge-answered',
        () => this.orderCharges.recordAnswer(order.orderId, charge.chargeId, answer, viewer),
        `${order.reference}/charges/${charge.chargeId}/answer`,
      );
    } catch (error) {
      if (!(error instanceof NotPermitted)) throw error;
      const typed = refuseForm(fields, form, new Map<string, string>());
      return page(<AnswerPage {...{ ...about, refused: typed }} conflict={error.detail} />, 403);
    }
  }

  /** @throws {OrderNotFound | ChargeNotFound} */
  private async find({
    reference,
    chargeId,
  }: ChargePath): Promise<{ readonly order: ChargeableOrder; readonly charge: StaffCharge }> {
    const detail = await this.details.findByReference(reference);
    const charge = detail.charges.find((one) => one.chargeId === chargeId);
    if (charge) return { order: chargeable(detail), charge };
    throw new ChargeNotFound();
  }

  /** To the order, which says what was done, or that the charge had ended before. */
  private async back(
    reference: string,
    said: OrderMessage,
    work: () => Promise<unknown>,
    draft?: string,
  ): Promise<SeeOther> {
    const path = `/staff/orders/${reference}`;
    try {
      await work();
      return orderMessages.redirect(path, said, draft);
    } catch (error) {
      if (error instanceof ChargeAnswered)
        return orderMessages.redirect(path, 'charge-ended', draft);
      throw error;
    }
  }

  private async drawProposal(
    order: ChargeableOrder,
    viewer: StaffCaller,
    { refused, conflict, status }: Redraw = {},
  ): Promise<WrittenHtml> {
    const { now } = await this.context.of(viewer);
    const fields = proposalFields(order, this.charges.usualDueAt(), now);
    return page(<ProposalPage {...{ viewer, order, fields, refused, conflict }} />, status);
  }
}

/** @throws {OrderNotFound} for an enquiry */
function chargeable({ order }: OrderDetail): ChargeableOrder {
  const { product } = order;
  if (product) return { ...order, product };
  throw new OrderNotFound();
}

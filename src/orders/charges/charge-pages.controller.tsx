import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder, StaffCharge } from '../staff/follow-up.dto.js';
import { StaffChargesService } from './staff-charges.service.js';
import type { OrderDetail } from '../staff/detail.dto.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import type { SeeOther, WrittenHtml } from '../../platform/http/written.js';
import { ChargeAnswered, ChargeNotFound } from './charges.errors.js';
import { ChargesService } from './charges.service.js';
import { ClientNoticesService } from '../staff/client-notices.service.js';
import { Config } from '../../platform/config/config.js';
import { OrderNotFound } from '../record/orders.errors.js';
import { type Refusal, send } from '../../platform/ui/forms/input-form.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { codeOfNews, orderMessages, type OrderMessage } from '../staff/order-messages.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import {
  answerForm,
  needsColleague,
  AnswerPage,
  type ChargeableOrder,
  proposalForm,
  ProposalPage,
} from './charge-forms.js';

interface ChargePath {
  readonly reference: string;
  readonly chargeId: string;
}

/** The extra charges of an order. */
@StaffPages('staff', 'agent')
export class ChargePagesController {
  constructor(
    private readonly details: OrderDetailService,
    private readonly orderCharges: StaffChargesService,
    private readonly charges: ChargesService,
    private readonly notices: ClientNoticesService,
    private readonly config: Config,
  ) {}

  @Get('orders/:reference/charge')
  async showProposal(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    return this.drawProposal(await this.details.findByReference(reference), viewer);
  }

  @Post('orders/:reference/charge')
  async propose(@Visited() { viewer, form }: Visit, @Param('reference') asked: string) {
    const order = chargeable(await this.details.findByReference(asked));
    const { orderId, reference } = order;
    const asProposed = proposalForm(order, this.charges.usualDueAt());
    const sent = await send(asProposed, form, ({ version, ...proposal }) =>
      this.orderCharges.propose({ orderId, version }, proposal, viewer),
    );
    if ('refused' in sent) return this.drawProposal(await this.details.find(orderId), viewer, sent);
    const isCovered = sent.result.state === 'accepted';
    const said = isCovered ? 'charge-covered' : await this.newsOf('charge-proposed', orderId);
    return orderMessages.redirect(`/staff/orders/${reference}`, said, `${reference}/charge`);
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

  private isOwn(order: FollowUpOrder, charge: StaffCharge, viewer: StaffCaller): boolean {
    return needsColleague(charge, viewer, order, this.config.acceptanceAloneUpTo);
  }

  @Get('orders/:reference/charges/:chargeId/answer')
  async showAnswer(@Visited() { viewer }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    const isOwn = this.isOwn(order, charge, viewer);
    const isOpen = charge.state === 'awaitingResponse';
    const refusal = isOpen ? undefined : { conflict: new ChargeAnswered(charge.state).detail };
    return page(
      <AnswerPage viewer={viewer} order={order} charge={charge} isOwn={isOwn} refusal={refusal} />,
      refusal && 409,
    );
  }

  @Post('orders/:reference/charges/:chargeId/answer')
  async recordAnswer(@Visited() { viewer, form }: Visit, @Param() path: ChargePath) {
    const { order, charge } = await this.find(path);
    const isOwn = this.isOwn(order, charge, viewer);
    const draft = `${order.reference}/charges/${charge.chargeId}/answer`;
    const sent = await send(answerForm(isOwn), form, (answer) =>
      this.back(
        order.reference,
        'charge-answered',
        () => this.orderCharges.recordAnswer(order.orderId, charge.chargeId, answer, viewer),
        draft,
      ),
    );
    if ('result' in sent) return sent.result;
    return page(
      <AnswerPage viewer={viewer} order={order} charge={charge} isOwn={isOwn} refusal={sent} />,
      sent.status,
    );
  }

  /** @throws {OrderNotFound | ChargeNotFound} */
  private async find({
    reference,
    chargeId,
  }: ChargePath): Promise<{ readonly order: ChargeableOrder; readonly charge: StaffCharge }> {
    const detail = await this.details.findByReference(reference);
    const charge = detail.charges.find((charge) => charge.chargeId === chargeId);
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

  private drawProposal(detail: OrderDetail, viewer: StaffCaller, refusal?: Refusal): WrittenHtml {
    const order = chargeable(detail);
    const form = proposalForm(order, this.charges.usualDueAt());
    return page(
      <ProposalPage viewer={viewer} order={order} form={form} refusal={refusal} />,
      refusal?.status,
    );
  }
}

/** @throws {OrderNotFound} for an enquiry */
function chargeable({ order }: OrderDetail): ChargeableOrder {
  const { product } = order;
  if (product) return { ...order, product };
  throw new OrderNotFound();
}

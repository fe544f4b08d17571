import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { OrderDetail } from '../staff/detail.dto.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import type { AnswerRefusal } from './staff-offers.dto.js';
import { StaffOffersService } from './staff-offers.service.js';
import type { WrittenHtml } from '../../platform/http/written.js';
import { ClientNoticesService } from '../staff/client-notices.service.js';
import { NotFound } from '../../platform/problems/problem.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { refuseForm } from '../../platform/ui/forms/form-spec.js';
import { type Refusal, refusalOf, send } from '../../platform/ui/forms/input-form.js';
import { codeOfNews, orderMessages } from '../staff/order-messages.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { OrdersContextService } from '../staff/orders-context.service.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import {
  AnswerCheckPage,
  AnswerPage,
  ApprovalsPage,
  draftOfRefusal,
  placeOfAnswer,
  refusalForm,
  acceptanceForm,
  draftOf,
  type OfferDecision,
  OfferDecisionPage,
  type OfferOfEnquiry,
  withdrawalForm,
} from './offer-pages.js';
import { answerForm, offerForm } from './offer-form.js';
import { answerRefusal } from './offers-view.js';

/** The answers to an enquiry. */
@StaffPages('staff', 'agent')
export class OfferPagesController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly details: OrderDetailService,
    private readonly offers: StaffOffersService,
    private readonly notices: ClientNoticesService,
  ) {}

  @Get('orders/:reference/answer')
  async showAnswer(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    return this.drawAnswer(await this.details.findByReference(reference), viewer);
  }

  /**
   * Shows the answer with its totals. Sends it once that has been checked. Shows the form again if the answer
   * cannot be sent, or the author wants to change it.
   */
  @Post('orders/:reference/answer')
  async sendAnswer(@Visited() { viewer, form }: Visit, @Param('reference') reference: string) {
    const detail = await this.details.findByReference(reference);
    const { order: enquiry } = detail;
    const { orderId } = enquiry;
    const answerInput = answerForm(offerForm(await this.offers.start(orderId)), form, (input) =>
      this.offers.faultsIn(input.offers ?? []),
    );
    if (form.has('change')) {
      const { fields } = answerInput;
      return this.drawAnswer(detail, viewer, { refused: refuseForm(fields, form, new Map()) });
    }
    const sent = await send(answerInput, form, async (answer) => {
      if (!form.has('checked')) {
        const preview = await this.offers.preview(orderId, answer, viewer);
        const typed = Object.fromEntries(form.entries());
        return page(
          <AnswerCheckPage viewer={viewer} enquiry={enquiry} {...preview} typed={typed} />,
        );
      }
      const isAwaiting = await this.offers.send(orderId, answer, viewer);
      const said = isAwaiting
        ? 'answer-awaits'
        : codeOfNews('answer-sent', await this.notices.reach(orderId, 'offer'));
      return orderMessages.redirect(
        `/staff/orders/${enquiry.reference}`,
        said,
        `${enquiry.reference}/answer`,
      );
    });
    if ('result' in sent) return sent.result;
    return this.drawAnswer(await this.details.find(orderId), viewer, sent);
  }

  @Get('orders/:reference/withdrawal')
  async showWithdrawal(@Visited() visit: Visit, @Param('reference') reference: string) {
    return drawDecision('withdrawal', await this.find(visit, reference), visit.viewer);
  }

  @Post('orders/:reference/withdrawal')
  async withdraw(@Visited() visit: Visit, @Param('reference') asked: string) {
    const { order, offer } = await this.find(visit, asked);
    const sent = await send(withdrawalForm, visit.form, ({ note }) =>
      this.offers.withdraw(order.orderId, offer.offerId, note, visit.viewer),
    );
    const path = `/staff/orders/${order.reference}`;
    if ('result' in sent) {
      return orderMessages.redirect(path, 'offer-withdrawn', draftOf('withdrawal', order, offer));
    }
    return drawDecision('withdrawal', await this.find(visit, asked), visit.viewer, sent);
  }

  @Get('orders/:reference/acceptance')
  async showAcceptance(@Visited() visit: Visit, @Param('reference') reference: string) {
    return drawDecision('acceptance', await this.find(visit, reference), visit.viewer);
  }

  /** Leads to the new order. */
  @Post('orders/:reference/acceptance')
  async recordAcceptance(@Visited() visit: Visit, @Param('reference') asked: string) {
    const { order: enquiry, offer } = await this.find(visit, asked);
    const { offerId } = offer;
    const sent = await send(acceptanceForm, visit.form, async ({ by }) => {
      const { orderId: id } = enquiry;
      const orderId = await this.offers.recordAcceptance(id, offerId, by, visit.viewer);
      return this.details.find(orderId);
    });
    if ('refused' in sent) {
      return drawDecision('acceptance', await this.find(visit, asked), visit.viewer, sent);
    }
    const path = `/staff/orders/${sent.result.order.reference}`;
    return orderMessages.redirect(path, 'offer-accepted', draftOf('acceptance', enquiry, offer));
  }

  /** The enquiry, and its offer that the address names. @throws {NotFound} */
  private async find({ query }: Visit, reference: string): Promise<OfferOfEnquiry> {
    const { order, offers } = await this.details.findByReference(reference);
    const offer = offers.find((offer) => offer.offerId === query.text('offer'));
    if (offer) return { order, offer };
    throw new NotFound('The enquiry has no offer with this id.');
  }

  private async drawAnswer(
    detail: OrderDetail,
    viewer: StaffCaller,
    sent?: Partial<Refusal>,
  ): Promise<WrittenHtml> {
    const { order: enquiry } = detail;
    if (enquiry.kind !== 'enquiry') throw new NotFound('Only enquiries are answered with offers.');
    const start = await this.offers.start(enquiry.orderId);
    const form = offerForm(start);
    const { now } = await this.context.of(viewer);
    const about = { viewer, enquiry, form, start };
    if (!sent) {
      const conflict = answerRefusal(enquiry, viewer, now) ?? undefined;
      return page(
        <AnswerPage {...about} conflict={conflict} />,
        conflict === undefined ? 200 : 409,
      );
    }
    const { refused, conflict, status } = sent;
    return page(<AnswerPage {...about} refused={refused} conflict={conflict} />, status);
  }
}

/** Answers that wait for a second person. */
@StaffPages('staff/approvals', 'manager')
export class ApprovalsController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly details: OrderDetailService,
    private readonly offers: StaffOffersService,
    private readonly notices: ClientNoticesService,
  ) {}

  @Get()
  async showApprovals(@Visited() { viewer, query }: Visit) {
    return this.draw(viewer, undefined, orderMessages.in(query));
  }

  /** Approves or refuses one answer; shows the page again if that is not possible. */
  @Post()
  async decide(@Visited() { viewer, form }: Visit) {
    const reference = form.text('reference');
    const id = await this.details.idOf(reference);
    const answer = form.number('answer');
    if (form.text('decision') === 'refuse') {
      const refuse = ({ reason }: AnswerRefusal) => this.offers.refuse(id, answer, reason, viewer);
      const sent = await send(refusalForm, form, refuse, placeOfAnswer(reference, answer));
      if ('refused' in sent) return this.draw(viewer, sent);
      const draft = draftOfRefusal(reference, answer);
      return orderMessages.redirect('/staff/approvals', 'answer-refused', draft);
    }
    try {
      await this.offers.approve(id, answer, viewer);
    } catch (error) {
      return this.draw(viewer, refusalOf(error, refusalForm, form));
    }
    const said = codeOfNews('answer-approved', await this.notices.reach(id, 'offer'));
    return orderMessages.redirect('/staff/approvals', said);
  }

  private async draw(
    viewer: StaffCaller,
    refusal?: Refusal,
    said?: FlashMessage | null,
  ): Promise<WrittenHtml> {
    const answers = await this.offers.awaited();
    const shown = answers.flatMap(({ offers }) => offers);
    const margins = await this.offers.margins(shown, viewer);
    const listPrices = await this.offers.listPrices(shown);
    const { now, undo } = await this.context.of(viewer);
    return page(
      <ApprovalsPage
        viewer={viewer}
        answers={answers}
        margins={margins}
        listPrices={listPrices}
        undo={undo}
        now={now}
        said={said}
        {...refusal}
      />,
      refusal?.status,
    );
  }
}

function drawDecision(
  decision: OfferDecision,
  { order: enquiry, offer }: OfferOfEnquiry,
  viewer: StaffCaller,
  refusal?: Refusal,
): WrittenHtml {
  return page(
    <OfferDecisionPage
      decision={decision}
      viewer={viewer}
      enquiry={enquiry}
      offer={offer}
      refusal={refusal}
    />,
    refusal?.status,
  );
}

import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../lists/detail.dto.js';
import { OrderDetailService } from '../lists/order-detail.service.js';
import { Answer } from './offers.dto.js';
import { StaffOffersService } from './staff-offers.service.js';
import { validated } from '../../platform/http/valid.js';
import type { WrittenHtml } from '../../platform/http/written-html.js';
import { ClientNoticesService } from '../../orders/staff/client-notices.service.js';
import { NotFound, Problem, ValidationFailed } from '../../platform/problems/problem.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { checkForm, refuseForm, type RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { codeOfNews, orderMessages, type OrderMessage } from '../../orders/staff/order-messages.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { OrdersContextService } from '../../orders/staff/orders-context.service.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { AnswerCheckPage } from './answer-check-page.js';
import { AnswerPage } from './answer-page.js';
import { ApprovalsPage, draftOfRefusal, placeOfAnswer, refusalFields } from './approvals-page.js';
import { answerIn, faultsIn, offerForm } from './offer-form.js';
import { answerRefusal } from './offers-view.js';
import {
  type OfferDecision,
  OfferDecisionPage,
  offerDecisionWords,
} from './offer-decision-page.js';

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
    if (form.has('change')) return this.drawAnswer(detail, viewer, { form });
    try {
      const answer = await validated(Answer, answerIn(form));
      if (!form.has('checked')) {
        const offers = await this.offers.preview(orderId, answer, viewer);
        const typed = Object.fromEntries(form.entries());
        return page(<AnswerCheckPage {...{ viewer, enquiry, offers, typed }} />);
      }
      const { items } = await this.offers.send(orderId, answer, viewer);
      const isAwaiting = items.at(-1)?.state === 'awaitingApproval';
      const said = isAwaiting
        ? 'answer-awaits'
        : codeOfNews('answer-sent', await this.notices.reach(orderId, 'offer'));
      return orderMessages.redirect(
        `/staff/orders/${enquiry.reference}`,
        said,
        `${enquiry.reference}/answer`,
      );
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return this.drawAnswer(await this.details.find(orderId), viewer, { form, error });
    }
  }

  @Get('orders/:reference/withdrawal')
  showWithdrawal(@Visited() visit: Visit, @Param('reference') reference: string) {
    return this.show('withdrawal', reference, visit);
  }

  @Post('orders/:reference/withdrawal')
  withdraw(@Visited() visit: Visit, @Param('reference') reference: string) {
    return this.take('withdrawal', reference, visit, async (enquiry, offerId, form) => {
      const note = form.text('note') || undefined;
      await this.offers.withdraw(enquiry.orderId, offerId, note, visit.viewer);
      return [enquiry.reference, 'offer-withdrawn'];
    });
  }

  @Get('orders/:reference/acceptance')
  showAcceptance(@Visited() visit: Visit, @Param('reference') reference: string) {
    return this.show('acceptance', reference, visit);
  }

  /** Leads to the new order. */
  @Post('orders/:reference/acceptance')
  recordAcceptance(@Visited() visit: Visit, @Param('reference') reference: string) {
    return this.take('acceptance', reference, visit, async ({ orderId: id }, offerId, form) => {
      const by = form.text('by');
      const { items } = await this.offers.recordAcceptance(id, offerId, by, visit.viewer);
      const { orderId } = items.find((one) => one.offerId === offerId)!;
      const { order } = await this.details.find(orderId!);
      return [order.reference, 'offer-accepted'];
    });
  }

  private async show(decision: OfferDecision, reference: string, { viewer, query }: Visit) {
    const detail = await this.details.findByReference(reference);
    return drawDecision(decision, detail, query.text('offer'), viewer);
  }

  /** @param act returns where it leads, and what the page there says */
  private async take(
    decision: OfferDecision,
    reference: string,
    { viewer, form, query }: Visit,
    act: (
      enquiry: FollowUpOrder,
      offerId: string,
      form: Form,
    ) => Promise<[reference: string, said: OrderMessage]>,
  ) {
    const detail = await this.details.findByReference(reference);
    const { order: enquiry } = detail;
    const { offerId } = offerOf(detail, query.text('offer'));
    const refused = checkForm(offerDecisionWords[decision].fields, form) ?? undefined;
    if (refused) return drawDecision(decision, detail, offerId, viewer, { refused, status: 422 });
    try {
      const [next, said] = await act(enquiry, offerId, form);
      const draft = `${enquiry.reference}/${decision}?offer=${offerId}`;
      return orderMessages.redirect(`/staff/orders/${next}`, said, draft);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const now = await this.details.find(enquiry.orderId);
      const { status, detail: conflict } = error;
      return drawDecision(decision, now, offerId, viewer, { conflict, status });
    }
  }

  private async drawAnswer(
    detail: OrderDetail,
    viewer: StaffCaller,
    sent?: { readonly form: Form; readonly error?: Problem },
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
    const { error } = sent;
    if (!error) {
      const refused = refuseForm(form.all, sent.form, new Map<string, string>());
      return page(<AnswerPage {...about} refused={refused} />);
    }
    const isFault = error instanceof ValidationFailed;
    const faults = isFault ? faultsIn(error.errors, sent.form) : new Map<string, string>();
    const refused = refuseForm(form.all, sent.form, faults);
    const conflict = isFault ? undefined : error.detail;
    const status = isFault ? 422 : error.status;
    return page(<AnswerPage {...about} {...{ refused, conflict }} />, status);
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
    return this.draw(viewer, { said: orderMessages.in(query) });
  }

  /** Approves or refuses one answer; shows the page again if that is not possible. */
  @Post()
  async decide(@Visited() { viewer, form }: Visit) {
    const id = await this.details.idOf(form.text('reference'));
    const answer = form.number('answer');
    const isRefusal = form.text('decision') === 'refuse';
    const reference = form.text('reference');
    if (isRefusal) {
      const refused = checkForm(refusalFields, form, placeOfAnswer(reference, answer));
      if (refused) return this.draw(viewer, { refused }, 422);
    }
    try {
      if (isRefusal) await this.offers.refuse(id, answer, form.text('reason'), viewer);
      else await this.offers.approve(id, answer, viewer);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const reason = form.text('reason');
      return this.draw(viewer, { conflict: error.detail, reason }, error.status);
    }
    return isRefusal
      ? orderMessages.redirect(
          '/staff/approvals',
          'answer-refused',
          draftOfRefusal(reference, answer),
        )
      : orderMessages.redirect(
          '/staff/approvals',
          codeOfNews('answer-approved', await this.notices.reach(id, 'offer')),
        );
  }

  private async draw(
    viewer: StaffCaller,
    about: {
      readonly said?: FlashMessage | null;
      readonly refused?: RefusedForm;
      readonly conflict?: string;
      readonly reason?: string;
    },
    status?: number,
  ) {
    const { items: answers } = await this.offers.awaited();
    const { now, undo } = await this.context.of(viewer);
    return page(<ApprovalsPage {...{ viewer, answers, undo, now }} {...about} />, status);
  }
}

function offerOf({ offers }: OrderDetail, offerId: string) {
  const offer = offers.find((one) => one.offerId === offerId);
  if (offer) return offer;
  throw new NotFound('The enquiry has no offer with this id.');
}

function drawDecision(
  decision: OfferDecision,
  detail: OrderDetail,
  offerId: string,
  viewer: StaffCaller,
  about: { refused?: RefusedForm; conflict?: string; status?: number } = {},
): WrittenHtml {
  const { status, ...shown } = about;
  const offer = offerOf(detail, offerId);
  const enquiry = detail.order;
  return page(<OfferDecisionPage {...{ decision, viewer, enquiry, offer }} {...shown} />, status);
}

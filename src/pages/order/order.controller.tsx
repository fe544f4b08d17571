import { Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { NotFound, Problem, ValidationFailed } from '../../problems/problem.js';
import type { Response } from 'express';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { LiveService } from '../../follow-up/live/live.service.js';
import type { OrderDetail } from '../../follow-up/queue/detail.dto.js';
import { UnknownPerson } from '../../follow-up/follow-up.errors.js';
import type { SeenOrder } from '../../follow-up/moves/moves.dto.js';
import { moverOf, OrderActionsService } from '../../follow-up/moves/order-actions.service.js';
import { OrderDetailService, readReference } from '../../follow-up/queue/order-detail.service.js';
import { TakeNextService } from '../../follow-up/queue/take-next.service.js';
import { ViewersService } from '../../follow-up/live/viewers.service.js';
import { type MoveInput, refusalOf } from '../../orders/moves/order-state.js';
import { NotPermitted, OrderMoved, OrderNotFound } from '../../orders/orders.errors.js';
import { OrdersContextService, type OrdersContext } from '../shell/orders-context.service.js';
import type { FieldFaults } from '../forms/fields.js';
import { conflictText } from './timeline.js';
import { refuseForm } from '../forms/form-spec.js';
import { MoveFormPage, type MoveConflict } from './order-form-view.js';
import {
  drawnFields,
  formAt,
  type FormContext,
  type OrderForm,
  readOrderForm,
  type Typed,
} from './order-forms.js';
import { OrderPage } from './order-view.js';
import { page } from '../shell/render.js';
import { flashOf, flashCodeOfTaken } from '../shell/flash-messages.js';
import { StaffPages } from '../shell/staff-pages.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';

/** One order, its moves, and the news of what changes. */
@StaffPages('staff', 'agent')
export class OrderController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly details: OrderDetailService,
    private readonly actions: OrderActionsService,
    private readonly nextOrders: TakeNextService,
    private readonly viewers: ViewersService,
    private readonly live: LiveService,
  ) {}

  /** Whoever comes with the order's id, or with a reference as it was spelt, is led to its address. */
  @Get('orders/:reference')
  async showOrder(
    @Param('reference') asked: string,
    @QueryForm() query: Form,
    @Staff() caller: StaffCaller,
  ) {
    const detail = await this.details.findByReference(asked);
    const { orderId, reference } = detail.order;
    if (asked !== reference) return new SeeOther(`/staff/orders/${reference}`);
    this.viewers.saw(orderId, caller);
    const context = await this.context.of(caller);
    const viewers = this.viewers.of(orderId, caller.staffId);
    const said = flashOf(query.text('said'));
    return page(<OrderPage {...context} detail={detail} viewers={viewers} said={said} />);
  }

  /** Takes what needs somebody most, and leads to it. */
  @Post('take-next')
  async takeNext(@Staff() caller: StaffCaller) {
    const { order, why } = await this.nextOrders.take(caller);
    if (order === null || why === null) return new SeeOther('/staff/queue?said=nothing-to-take');
    return new SeeOther(`/staff/orders/${order.reference}?said=${flashCodeOfTaken(why)}`);
  }

  @Get('orders/:reference/:move')
  async showMove(
    @Param('reference') reference: string,
    @Param('move') move: string,
    @Staff() caller: StaffCaller,
  ) {
    const asked = formOf(move);
    const detail = await this.details.findByReference(reference);
    const context = await this.context.of(caller);
    const about = await this.about(detail, context);
    const refusal = refusalNow(asked, detail, context);
    if (refusal === null) return draw(asked, about, context);
    return draw(asked, about, context, {
      refusal: { reason: refusal, possible: false },
      status: 409,
    });
  }

  /** Makes the move that a form asks for; where it cannot be made, what was typed is shown again. */
  @Post('orders/:reference/:move')
  @HttpCode(200)
  async makeMove(
    @Param('reference') reference: string,
    @Param('move') move: string,
    @SentForm() form: Form,
    @Staff() caller: StaffCaller,
  ) {
    const asked = formOf(move);
    const detail = await this.details.findByReference(reference);
    const context = await this.context.of(caller);
    const about = await this.about(detail, context);
    const typed = readOrderForm(asked, form, about);
    if (typed.faults.size > 0) {
      return draw(asked, about, context, { form, faults: typed.faults, status: 422 });
    }
    const { orderId, reference: canonical } = detail.order;
    const seen = { orderId, version: form.number('version') };
    try {
      await this.perform(asked, seen, typed, caller);
    } catch (error) {
      return this.explain(error, asked, seen, form, caller);
    }
    return new SeeOther(`/staff/orders/${canonical}?said=${asked.path}`);
  }

  /** Server-sent events until the session ends. With `?order=` also of one order and its viewers. */
  @Get('changes')
  async followChanges(
    @QueryForm() query: Form,
    @Staff() caller: StaffCaller,
    @Res() response: Response,
  ) {
    const order = query.text('order');
    const id = order === '' ? undefined : await this.details.idOf(order);
    this.live.open(response, caller, id);
  }

  private async perform(
    { fields, move }: OrderForm,
    seen: SeenOrder,
    { values, input }: Typed,
    caller: StaffCaller,
  ): Promise<void> {
    if (move === null) {
      await this.actions.addNote(seen.orderId, values.note!, caller);
      return;
    }
    const sent: Record<string, unknown> = { ...input, name: move };
    for (const { kind, name } of fields) {
      if (kind === 'order') sent[name] = await this.originalOf(values[name]!);
    }
    await this.actions.move(seen, sent as MoveInput, caller);
  }

  private async originalOf(reference: string): Promise<string> {
    const ids = await this.details.idsOf([reference]);
    const id = ids.get(readReference(reference) ?? '');
    if (id !== undefined) return id;
    throw new ValidationFailed([
      { pointer: '/of', code: 'not-allowed', detail: 'There is no order with this reference.' },
    ]);
  }

  /** The form again, with what was typed, and with what stands in the way. */
  private async explain(
    error: unknown,
    asked: OrderForm,
    seen: SeenOrder,
    form: Form,
    caller: StaffCaller,
  ): Promise<WrittenHtml> {
    if (!(error instanceof Problem) || error instanceof OrderNotFound) throw error;
    const detail = await this.details.find(seen.orderId);
    const context = await this.context.of(caller);
    const about = await this.about(detail, context);
    const faults = faultsOf(error);
    if (faults) return draw(asked, about, context, { form, faults, status: 422 });
    const isMoved = error instanceof OrderMoved;
    if (!isMoved && !(error instanceof NotPermitted)) throw error;
    const refusal = refusalNow(asked, detail, context);
    const meanwhile = conflictText(detail.timeline, seen.version, caller.staffId, context.now);
    const reason = (isMoved ? meanwhile : null) ?? refusal ?? error.detail;
    return draw(asked, about, context, {
      form,
      refusal: { reason, possible: refusal === null },
      status: error.status,
    });
  }

  private async about(detail: OrderDetail, { now, calendar }: OrdersContext): Promise<FormContext> {
    const { items: people } = await this.actions.people();
    const { order, possibleDuplicates, othersOfClient } = detail;
    const twins = [...possibleDuplicates, ...othersOfClient]
      .filter(({ state, client }) => state !== 'duplicate' && client.id === order.client.id)
      .map(({ reference }) => reference);
    return { order, people, twins: [...new Set(twins)], now, calendar };
  }
}

/** The page of a form; after it was sent, with what was typed and why it was refused. */
function draw(
  asked: OrderForm,
  about: FormContext,
  { viewer, counts }: OrdersContext,
  sent: { form?: Form; faults?: FieldFaults; refusal?: MoveConflict; status?: number } = {},
) {
  const { form, faults = new Map(), refusal, status } = sent;
  const fields = drawnFields(asked, about);
  const typed = form && refuseForm(fields, form, faults);
  return page(
    <MoveFormPage {...{ viewer, counts, form: asked, about, fields, typed, refusal }} />,
    status,
  );
}

function formOf(path: string): OrderForm {
  const form = formAt(path);
  if (form) return form;
  throw new NotFound();
}

/** Why the viewer cannot make the move as the order is; null where it can be made. */
function refusalNow(
  { move }: OrderForm,
  { order }: OrderDetail,
  { viewer, now }: OrdersContext,
): string | null {
  if (move === null) return null;
  const { state, ownerId, closedAt, client } = order;
  const standing = { state, ownerId, closedAt, clientId: client.id };
  return refusalOf(standing, move, moverOf(viewer), now)?.detail ?? null;
}

/** The faults of fields that a problem tells of; null where it is about something else. */
function faultsOf(problem: Problem): FieldFaults | null {
  if (problem instanceof UnknownPerson) {
    return new Map([['ownerId', 'This person cannot take orders any more; choose another one.']]);
  }
  const faults = problem.errors
    .filter(({ pointer }) => pointer.length > 1)
    .map(({ pointer, detail }) => [pointer.slice(1), detail] as const);
  return faults.length > 0 ? new Map(faults) : null;
}

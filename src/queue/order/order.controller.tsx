import { Get, Param, Post, Res } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { isDirectClient } from '../../clients/api-client.entity.js';
import { LongLived } from '../../platform/access/rules.js';
import type { Response } from 'express';
import { SeeOther, type WrittenHtml } from '../../platform/http/written.js';
import { LiveService } from '../live/live.service.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import { OrderMoved } from '../../orders/record/orders.errors.js';
import type { Note, SeenOrder } from '../../orders/staff/moves.dto.js';
import { StaffOffersService } from '../../orders/offers/staff-offers.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import { OrderDetailService } from '../../orders/staff/order-detail.service.js';
import { TakeNextService } from '../lists/take-next.service.js';
import { ViewersService } from '../live/viewers.service.js';
import type { MoveInput } from '../../orders/moves/move-contents.js';
import {
  OrdersContextService,
  type OrdersContext,
} from '../../orders/staff/orders-context.service.js';
import { conflictText } from './timeline.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { type InputForm, type Refusal, send } from '../../platform/ui/forms/input-form.js';
import { formAt, inputOf, noteInput, type OrderForm, refusalFor } from './order-forms.js';
import { OrderPage } from './order-view.js';
import { page } from '../../platform/ui/render.js';
import { messageFor, messageOfTaken } from '../../orders/staff/order-messages.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { inWordsOf } from '../../orders/moves/move-words.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { OrderFormPage } from '../../orders/staff/order-form-page.js';

/** The form of a move, for one order as it is now. */
interface OpenForm {
  readonly orderForm: OrderForm;
  readonly detail: OrderDetail;
  readonly context: OrdersContext;
  readonly input: InputForm<object>;
}

interface MovePath {
  readonly reference: string;
  readonly move: string;
}

/** One order, its moves, and its stream of changes. */
@StaffPages('staff', 'agent')
export class OrderController {
  constructor(
    private readonly context: OrdersContextService,
    private readonly details: OrderDetailService,
    private readonly actions: OrderActionsService,
    private readonly nextOrders: TakeNextService,
    private readonly offers: StaffOffersService,
    private readonly viewers: ViewersService,
    private readonly live: LiveService,
  ) {}

  /** Redirects from the order's id, or another spelling of its reference, to its address. */
  @Get('orders/:reference')
  async showOrder(@Visited() { viewer, query }: Visit, @Param('reference') name: string) {
    const detail = await this.details.findByReference(name);
    const { orderId, reference } = detail.order;
    if (name !== reference) {
      const kept = ['said', 'noted', 'saved'].filter((name) => query.has(name));
      const pairs = kept.map((name) => `${name}=${encodeURIComponent(query.text(name))}`);
      const search = pairs.length > 0 ? `?${pairs.join('&')}` : '';
      return new SeeOther(`/staff/orders/${reference}${search}`);
    }
    this.viewers.saw(orderId, viewer);
    const context = await this.context.of(viewer);
    const viewers = this.viewers.of(orderId, viewer.staffId);
    const margins = await this.offers.margins(detail.offers, viewer);
    const neighbours = await this.details.neighbours(detail.order);
    const said = messageFor(detail.order, query, context.now);
    const next =
      said && !isInHand(detail.order, viewer) ? await this.nextOrders.preview(viewer) : null;
    const shown = { detail, neighbours, viewers, margins, said, next };
    return page(<OrderPage {...context} {...shown} />);
  }

  /** Takes the most urgent order and redirects to it. */
  @Post('take-next')
  async takeNext(@Visited() { viewer }: Visit) {
    const { order, why } = await this.nextOrders.take(viewer);
    if (order === null || why === null) return new SeeOther('/staff/queue?said=nothing-to-take');
    return new SeeOther(`/staff/orders/${order.reference}?said=${messageOfTaken(why)}`);
  }

  @Get('orders/:reference/:move')
  async showMove(@Visited() { viewer }: Visit, @Param() { reference, move }: MovePath) {
    const orderForm = formAt(move);
    const detail = await this.details.findByReference(reference);
    const open = await this.openForm(orderForm, detail, viewer);
    const reason = refusalFor(orderForm, detail.order, open.context);
    if (reason === null) return draw(open);
    return draw(open, { status: 409, conflict: { reason, possible: false } });
  }

  /** Makes the move. If it cannot be made, shows the form again with the typed values. */
  @Post('orders/:reference/:move')
  async makeMove(@Visited() { viewer, form }: Visit, @Param() { reference, move }: MovePath) {
    const orderForm = formAt(move);
    const detail = await this.details.findByReference(reference);
    const { input } = await this.openForm(orderForm, detail, viewer, form);
    const { orderId, reference: order } = detail.order;
    const seen = { orderId, version: form.number('version') };
    const sent = await send(input, form, (content) =>
      orderForm.move === null
        ? this.actions.addNote(orderId, (content as Note).note, viewer)
        : this.actions.move(seen, { ...content, name: orderForm.move } as MoveInput, viewer),
    );
    if ('refused' in sent) return this.explain(sent, orderForm, seen, viewer);
    // The draft that is saved now.
    const saved = orderForm.isDirect ? '' : `&saved=${order}/${orderForm.path}`;
    return new SeeOther(`/staff/orders/${order}?said=${orderForm.path}${saved}`);
  }

  /** Server-sent events until the session ends. `?order=` adds those of one order and its viewers. */
  @Get('changes')
  @LongLived()
  async followChanges(@Visited() { viewer, query }: Visit, @Res() response: Response) {
    const order = query.text('order');
    const id = order === '' ? undefined : await this.details.idOf(order);
    this.live.open(response, viewer, id);
  }

  /** @param sent what the form was sent with, if it was */
  private async openForm(
    orderForm: OrderForm,
    detail: OrderDetail,
    viewer: StaffCaller,
    sent?: Form,
  ): Promise<OpenForm> {
    const context = await this.context.of(viewer);
    const { items: people } = await this.actions.people();
    const { order, possibleDuplicates, othersOfClient } = detail;
    const twins = [...possibleDuplicates, ...othersOfClient]
      .filter(({ state, client }) => state !== 'duplicate' && client.id === order.client.id)
      .map(({ reference }) => reference);
    const about = { ...context, order, people, twins: [...new Set(twins)] };
    const [originalId] = (await this.details.idsOf([sent?.text('of') ?? ''])).values();
    return { orderForm, detail, context, input: inputOf(orderForm, about, originalId) };
  }

  /** The form again, with the typed values and the reason of the refusal. */
  private async explain(
    { status, refused, conflict, problem }: Refusal,
    orderForm: OrderForm,
    seen: SeenOrder,
    viewer: StaffCaller,
  ): Promise<WrittenHtml> {
    const open = await this.openForm(orderForm, await this.details.find(seen.orderId), viewer);
    if (conflict === undefined) return draw(open, { status, refused });
    const { detail, context } = open;
    const refusal = refusalFor(orderForm, detail.order, context);
    const change = conflictText(detail.timeline, seen.version, viewer.staffId, context.now);
    const reason = (problem instanceof OrderMoved ? change : null) ?? refusal ?? conflict;
    return draw(open, { status, refused, conflict: { reason, possible: refusal === null } });
  }
}

/** Whether the viewer still has something to do on the order now. */
function isInHand({ state, ownerId }: FollowUpOrder, { staffId }: StaffCaller): boolean {
  return state === 'in_progress' && ownerId === staffId;
}

function draw(
  { orderForm, detail, context, input }: OpenForm,
  refusal: RefusedMove = {},
): WrittenHtml {
  const { viewer } = context;
  const { order } = detail;
  const { status, ...refused } = refusal;
  return page(
    <MoveFormPage viewer={viewer} orderForm={orderForm} order={order} input={input} {...refused} />,
    status,
  );
}

interface MoveConflict {
  readonly reason: string;
  /** Whether the move can still be made on the order as it is now. */
  readonly possible: boolean;
}

interface RefusedMove {
  readonly status?: number;
  /** The typed values with their faults. */
  readonly refused?: RefusedForm;
  /** Why the move was or would be refused. */
  readonly conflict?: MoveConflict;
}

interface MoveFormPageProps extends Omit<RefusedMove, 'status'> {
  readonly viewer: StaffCaller;
  readonly orderForm: OrderForm;
  readonly order: FollowUpOrder;
  readonly input: InputForm<object>;
}

/** The form of one move. On the order's page a script shows it as a dialog. */
function MoveFormPage(props: MoveFormPageProps) {
  const { viewer, orderForm, order, input, refused, conflict } = props;
  const { reference, version, kind } = order;
  const words = (text: string) => inWordsOf(kind, text);
  const confirmation =
    (isDirectClient(order.client) && orderForm.callerConfirmation) || orderForm.confirmation;
  const address = `/staff/orders/${reference}`;
  const kept =
    orderForm.move === 'cancel'
      ? 'Keep order'
      : orderForm.move === 'resume'
        ? 'Keep call-back'
        : undefined;
  return (
    <OrderFormPage
      title={`${words(orderForm.title)}: ${reference}`}
      viewer={viewer}
      order={order}
      refused={refused}
      conflict={conflict?.reason}
      advice={
        conflict && (
          <Advice
            address={address}
            conflict={conflict}
            refused={refused}
            view={words('View order')}
          />
        )
      }
    >
      {conflict?.possible === false ? (
        <KeepAsNote {...props} />
      ) : (
        <PostForm
          dialog
          draft={`${reference}/${orderForm.path}`}
          action={`${address}/${orderForm.path}`}
          hidden={{ version }}
          fields={input.fields}
          refused={refused}
          button={words(orderForm.button)}
          kind="primary"
          cancel={address}
          cancelText={kept && words(kept)}
        >
          {confirmation && <p class="intro">{words(confirmation)}</p>}
        </PostForm>
      )}
    </OrderFormPage>
  );
}

interface AdviceProps extends Pick<MoveFormPageProps, 'refused'> {
  readonly address: string;
  readonly conflict: MoveConflict;
  readonly view: string;
}

function Advice({ address, conflict, refused, view }: AdviceProps) {
  const kept = conflict.possible
    ? ' What you typed is still here: check it, and send it again.'
    : '';
  return (
    <>
      {refused && <p>{`Your changes were not saved.${kept}`}</p>}
      <div class="actions">
        <PostForm action="/staff/take-next" button="Take the next one" />
        <a class="button" href={address}>
          {view}
        </a>
      </div>
    </>
  );
}

/** For a move that is no longer possible: its texts, sent or drafted, can be saved as a note. */
function KeepAsNote({ order, orderForm, input, refused }: MoveFormPageProps) {
  const names = input.fields
    .filter(({ kind, name }) => kind === 'long' || name === 'externalReference')
    .map(({ name }) => name);
  const text = names
    .map((name) => refused?.form.text(name))
    .filter(Boolean)
    .join('\n\n');
  if (names.length === 0 || (refused && text === '')) return null;
  const { fields } = noteInput;
  return (
    <PostForm
      dialog
      draft={`${order.reference}/note`}
      takesOver={`${order.reference}/${orderForm.path}`}
      takesFields={refused ? undefined : names}
      action={`/staff/orders/${order.reference}/note`}
      fields={fields.map((field) => ({ ...field, first: text }))}
      button="Add as a note"
      kind="primary"
    >
      <p class="intro">We kept what you typed. You can save it as a note.</p>
    </PostForm>
  );
}

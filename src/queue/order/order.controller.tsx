import { Get, Param, Post, Res } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { isDirectClient } from '../../clients/api-client.entity.js';
import { LongLived } from '../../platform/access/rules.js';
import { Problem, ValidationFailed } from '../../platform/problems/problem.js';
import type { Response } from 'express';
import { SeeOther, type WrittenHtml } from '../../platform/http/written.js';
import { LiveService } from '../live/live.service.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import {
  ChargeOpen,
  UnknownPerson,
  NotPermitted,
  OrderMoved,
  OrderNotFound,
} from '../../orders/record/orders.errors.js';
import type { SeenOrder } from '../../orders/staff/moves.dto.js';
import { StaffOffersService } from '../../orders/offers/staff-offers.service.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import { OrderDetailService } from '../../orders/staff/order-detail.service.js';
import { TakeNextService } from '../lists/take-next.service.js';
import { ViewersService } from '../live/viewers.service.js';
import type { MoveInput } from '../../orders/moves/move-rules.js';
import {
  OrdersContextService,
  type OrdersContext,
} from '../../orders/staff/orders-context.service.js';
import type { FieldFaults } from '../../platform/ui/forms/fields.js';
import { conflictText } from './timeline.js';
import {
  checkForm,
  type FormField,
  refuseForm,
  type RefusedForm,
} from '../../platform/ui/forms/form-spec.js';
import {
  fieldsFor,
  formAt,
  moveInput,
  type OrderForm,
  refusalFor,
  noteField,
} from './order-forms.js';
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
  readonly asked: OrderForm;
  readonly detail: OrderDetail;
  readonly context: OrdersContext;
  readonly fields: readonly FormField[];
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
  async showOrder(@Visited() { viewer, query }: Visit, @Param('reference') asked: string) {
    const detail = await this.details.findByReference(asked);
    const { orderId, reference } = detail.order;
    if (asked !== reference) {
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
    const asked = formAt(move);
    const open = await this.openForm(asked, await this.details.findByReference(reference), viewer);
    const reason = refusalFor(asked, open.detail.order, open.context);
    if (reason === null) return draw(open);
    return draw(open, 409, undefined, { reason, possible: false });
  }

  /** Makes the move. If it cannot be made, shows the form again with the typed values. */
  @Post('orders/:reference/:move')
  async makeMove(@Visited() { viewer, form }: Visit, @Param() { reference, move }: MovePath) {
    const asked = formAt(move);
    const detail = await this.details.findByReference(reference);
    const open = await this.openForm(asked, detail, viewer);
    const typed = checkForm(open.fields, form);
    if (typed) return draw(open, 422, typed);
    const seen = { orderId: detail.order.orderId, version: form.number('version') };
    try {
      await this.perform(asked, seen, form, viewer);
    } catch (error) {
      return this.explain(error, asked, seen, form, viewer);
    }
    const { reference: order } = detail.order;
    // The draft that is saved now.
    const saved = asked.fields.length > 0 ? `&saved=${order}/${asked.path}` : '';
    return new SeeOther(`/staff/orders/${order}?said=${asked.path}${saved}`);
  }

  /** Server-sent events until the session ends. `?order=` adds those of one order and its viewers. */
  @Get('changes')
  @LongLived()
  async followChanges(@Visited() { viewer, query }: Visit, @Res() response: Response) {
    const order = query.text('order');
    const id = order === '' ? undefined : await this.details.idOf(order);
    this.live.open(response, viewer, id);
  }

  private async openForm(
    asked: OrderForm,
    detail: OrderDetail,
    viewer: StaffCaller,
  ): Promise<OpenForm> {
    const context = await this.context.of(viewer);
    const { items: people } = await this.actions.people();
    const { order, possibleDuplicates, othersOfClient } = detail;
    const twins = [...possibleDuplicates, ...othersOfClient]
      .filter(({ state, client }) => state !== 'duplicate' && client.id === order.client.id)
      .map(({ reference }) => reference);
    const about = { ...context, order, people, twins: [...new Set(twins)] };
    return { asked, detail, context, fields: fieldsFor(asked, about) };
  }

  private async perform(asked: OrderForm, seen: SeenOrder, form: Form, viewer: StaffCaller) {
    const { fields, move } = asked;
    if (move === null) {
      return this.actions.addNote(seen.orderId, form.text('note'), viewer);
    }
    const sent: Record<string, unknown> = { ...moveInput(asked, form), name: move };
    for (const { kind, name } of fields) {
      if (kind === 'order') sent[name] = await this.originalOf(form.text(name));
    }
    return this.actions.move(seen, sent as MoveInput, viewer);
  }

  private async originalOf(reference: string): Promise<string> {
    return this.details.idOf(reference).catch((error: unknown) => {
      if (!(error instanceof OrderNotFound)) throw error;
      throw new ValidationFailed([
        { pointer: '/of', code: 'not-allowed', detail: 'There is no order with this reference.' },
      ]);
    });
  }

  /** The form again, with the typed values and the reason of the refusal. */
  private async explain(
    error: unknown,
    asked: OrderForm,
    seen: SeenOrder,
    form: Form,
    viewer: StaffCaller,
  ): Promise<WrittenHtml> {
    if (!(error instanceof Problem) || error instanceof OrderNotFound) throw error;
    const open = await this.openForm(asked, await this.details.find(seen.orderId), viewer);
    const faults = faultsOf(error);
    const typed = refuseForm(open.fields, form, faults);
    if (faults.size > 0) return draw(open, 422, typed);
    const isMoved = error instanceof OrderMoved;
    const isShown = error instanceof NotPermitted || error instanceof ChargeOpen;
    if (!isMoved && !isShown) throw error;
    const { detail, context } = open;
    const refusal = refusalFor(asked, detail.order, context);
    const change = conflictText(detail.timeline, seen.version, viewer.staffId, context.now);
    const reason = (isMoved ? change : null) ?? refusal ?? error.detail;
    return draw(open, error.status, typed, { reason, possible: refusal === null });
  }
}

/** Whether the viewer still has something to do on the order now. */
function isInHand({ state, ownerId }: FollowUpOrder, { staffId }: StaffCaller): boolean {
  return state === 'in_progress' && ownerId === staffId;
}

function draw(
  { asked, detail, context, fields }: OpenForm,
  status?: number,
  typed?: RefusedForm,
  refusal?: MoveConflict,
): WrittenHtml {
  const { viewer } = context;
  return page(
    <MoveFormPage {...{ viewer, form: asked, order: detail.order, fields, typed, refusal }} />,
    status,
  );
}

/** The faults of single fields; empty for any other problem. */
function faultsOf(problem: Problem): FieldFaults {
  if (problem instanceof UnknownPerson) {
    return new Map([['ownerId', 'This person can no longer own orders. Choose another person.']]);
  }
  return new Map(
    problem.errors
      .filter(({ pointer }) => pointer.length > 1)
      .map(({ pointer, detail }) => [pointer.slice(1), detail]),
  );
}

interface MoveFormPageProps {
  readonly viewer: StaffCaller;
  readonly form: OrderForm;
  readonly order: FollowUpOrder;
  readonly fields: readonly FormField[];
  /** The typed values with their faults. */
  readonly typed?: RefusedForm;
  /** Why the move was or would be refused. */
  readonly refusal?: MoveConflict;
}

interface MoveConflict {
  readonly reason: string;
  /** Whether the move can still be made on the order as it is now. */
  readonly possible: boolean;
}

/** The form of one move. On the order's page a script shows it as a dialog. */
function MoveFormPage(props: MoveFormPageProps) {
  const { viewer, form, order, fields, typed, refusal } = props;
  const { reference, version, kind } = order;
  const words = (text: string) => inWordsOf(kind, text);
  const confirmation =
    (isDirectClient(order.client) && form.callerConfirmation) || form.confirmation;
  const address = `/staff/orders/${reference}`;
  const kept =
    form.move === 'cancel' ? 'Keep order' : form.move === 'resume' ? 'Keep call-back' : undefined;
  return (
    <OrderFormPage
      title={`${words(form.title)}: ${reference}`}
      viewer={viewer}
      order={order}
      refused={typed}
      conflict={refusal?.reason}
      advice={refusal && <Advice {...{ address, refusal, typed }} view={words('View order')} />}
    >
      {refusal?.possible === false ? (
        <KeepAsNote {...props} />
      ) : (
        <PostForm
          dialog
          draft={`${reference}/${form.path}`}
          action={`${address}/${form.path}`}
          hidden={{ version }}
          fields={fields}
          refused={typed}
          button={words(form.button)}
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

interface AdviceProps extends Pick<MoveFormPageProps, 'typed'> {
  readonly address: string;
  readonly refusal: MoveConflict;
  readonly view: string;
}

function Advice({ address, refusal, typed, view }: AdviceProps) {
  const kept = refusal.possible
    ? ' What you typed is still here: check it, and send it again.'
    : '';
  return (
    <>
      {typed && <p>{`Your changes were not saved.${kept}`}</p>}
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
function KeepAsNote({ order, form, typed }: MoveFormPageProps) {
  const names = form.fields
    .filter(({ kind }) => kind === 'long' || kind === 'text')
    .map(({ name }) => name);
  const text = names
    .map((name) => typed?.form.text(name))
    .filter(Boolean)
    .join('\n\n');
  if (names.length === 0 || (typed && text === '')) return null;
  return (
    <PostForm
      dialog
      draft={`${order.reference}/note`}
      takesOver={`${order.reference}/${form.path}`}
      takesFields={typed ? undefined : names}
      action={`/staff/orders/${order.reference}/note`}
      fields={[{ ...noteField, first: text }]}
      button="Add as a note"
      kind="primary"
    >
      <p class="intro">We kept what you typed. You can save it as a note.</p>
    </PostForm>
  );
}

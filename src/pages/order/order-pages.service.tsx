import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../access/caller.js';
import { NotFound, Problem, ValidationFailed } from '../../problems/problem.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import type { OrderDetail } from '../../follow-up/queue/detail.dto.js';
import { UnknownPerson } from '../../follow-up/follow-up.errors.js';
import type { SeenOrder } from '../../follow-up/moves/moves.dto.js';
import { moverOf, OrderActionsService } from '../../follow-up/moves/order-actions.service.js';
import { OrderDetailService, readReference } from '../../follow-up/queue/order-detail.service.js';
import { TakeNextService } from '../../follow-up/queue/take-next.service.js';
import { ViewersService } from '../../follow-up/live/viewers.service.js';
import {
  type CancelReason,
  type ContactChannel,
  type ContactResult,
  type LostReason,
  refusalOf,
  type ScheduleReason,
} from '../../orders/moves/order-state.js';
import { NotPermitted, OrderMoved, OrderNotFound } from '../../orders/orders.errors.js';
import { type Desk, DeskService } from '../shell/desk.service.js';
import type { Faults } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import { whatHappened } from './happened.js';
import { MoveFormPage, type Refused } from './order-form-view.js';
import {
  firstValues,
  type FormContext,
  isMovePath,
  type MovePath,
  moveForms,
  readMoveForm,
  type Typed,
} from './order-forms.js';
import { OrderPage } from './order-view.js';
import { page } from '../shell/render.js';
import { saidBy } from '../shell/said.js';

/** What a form's page shows besides the form. */
interface Shown {
  readonly values: Readonly<Record<string, string>>;
  readonly faults?: Faults;
  readonly refused?: Refused;
}

/** The page of one order, and those of the moves that it can make. */
@Injectable()
export class OrderPages {
  constructor(
    private readonly desk: DeskService,
    private readonly details: OrderDetailService,
    private readonly actions: OrderActionsService,
    private readonly takeNext: TakeNextService,
    private readonly viewers: ViewersService,
  ) {}

  /** Whoever comes with the order's id, or with a reference as it was spelt, is led to its address. */
  async show(asked: string, query: Form, caller: StaffCaller): Promise<WrittenHtml | SeeOther> {
    const detail = await this.details.findByReference(asked);
    const { orderId, reference } = detail.order;
    if (asked !== reference) return new SeeOther(`/staff/orders/${reference}`);
    this.viewers.saw(orderId, caller);
    const desk = await this.desk.of(caller);
    const viewers = this.viewers.of(orderId, caller.staffId);
    const said = saidBy(query.text('said'));
    return page(<OrderPage {...desk} detail={detail} viewers={viewers} said={said} />);
  }

  /** Takes what needs somebody most, and leads to it. */
  async takeNextOrder(caller: StaffCaller): Promise<SeeOther> {
    const { order, why } = await this.takeNext.take(caller);
    if (order === null) return new SeeOther('/staff/queue?said=nothing-to-take');
    const said = { 'call-back due': 'call-back', 'nearly late': 'nearly-late' }[why as string];
    return new SeeOther(`/staff/orders/${order.reference}?said=taken-${said ?? why}`);
  }

  /** The form of a move, as it is before anything is typed. */
  async showForm(reference: string, move: string, caller: StaffCaller): Promise<WrittenHtml> {
    const path = pathOf(move);
    const detail = await this.details.findByReference(reference);
    const desk = await this.desk.of(caller);
    const about = await this.about(detail, desk);
    const refusal = refusalNow(path, detail, desk);
    const values = firstValues(moveForms[path], about);
    if (refusal === null) return this.form(path, about, desk, { values });
    const refused = { what: refusal, possible: false };
    return this.form(path, about, desk, { values: {}, refused }, 409);
  }

  /** Makes the move that a form asks for; where it cannot be made, what was typed is shown again. */
  async make(
    reference: string,
    move: string,
    form: Form,
    caller: StaffCaller,
  ): Promise<WrittenHtml | SeeOther> {
    const path = pathOf(move);
    const detail = await this.details.findByReference(reference);
    const desk = await this.desk.of(caller);
    const about = await this.about(detail, desk);
    const typed = readMoveForm(moveForms[path], form, about);
    const { values, faults } = typed;
    if (faults.size > 0) return this.form(path, about, desk, { values, faults }, 422);
    const { orderId, reference: canonical } = detail.order;
    const seen = { orderId, version: form.number('version') };
    try {
      await this.perform(path, seen, typed, caller);
    } catch (error) {
      return this.explain(error, path, seen, values, caller);
    }
    const said = path === 'claim' ? 'claimed' : path;
    return new SeeOther(`/staff/orders/${canonical}?said=${said}`);
  }

  private async perform(
    path: MovePath,
    seen: SeenOrder,
    { values, times }: Typed,
    caller: StaffCaller,
  ): Promise<unknown> {
    const { actions } = this;
    const { reason = '', ownerId = '', channel = '', result = '' } = values;
    const note = values.note ? { note: values.note } : {};
    switch (path) {
      case 'claim':
        return actions.move(seen, { name: 'claim' }, caller);
      case 'contact': {
        const how = { channel: channel as ContactChannel, result: result as ContactResult };
        return actions.move(seen, { name: 'logContact', ...how, ...note }, caller);
      }
      case 'schedule': {
        const when = { nextActionAt: times.nextActionAt!, reason: reason as ScheduleReason };
        return actions.move(seen, { name: 'schedule', ...when, ...note }, caller);
      }
      case 'resume':
        return actions.move(seen, { name: 'resume', ...note }, caller);
      case 'hand-over':
        return actions.give(seen, { name: 'handOver', note: values.note! }, ownerId, caller);
      case 'assign':
        return actions.give(seen, { name: 'assign', ...note }, ownerId, caller);
      case 'release':
        return actions.move(seen, { name: 'release', reason }, caller);
      case 'reopen':
        return actions.move(seen, { name: 'reopen', reason }, caller);
      case 'win': {
        const { externalReference } = values;
        const own = externalReference ? { externalReference } : {};
        return actions.move(seen, { name: 'win', ...own, ...note }, caller);
      }
      case 'lose':
        return actions.move(seen, { name: 'lose', reason: reason as LostReason, ...note }, caller);
      case 'cancel': {
        const why = reason as CancelReason;
        return actions.move(seen, { name: 'cancel', reason: why, ...note }, caller);
      }
      case 'duplicate': {
        const id = await this.originalOf(values.of!);
        return actions.markDuplicate(seen, id, values.note || undefined, caller);
      }
      case 'note':
        return actions.addNote(seen.orderId, values.note!, caller);
    }
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
    path: MovePath,
    seen: SeenOrder,
    values: Readonly<Record<string, string>>,
    caller: StaffCaller,
  ): Promise<WrittenHtml> {
    if (!(error instanceof Problem) || error instanceof OrderNotFound) throw error;
    const detail = await this.details.find(seen.orderId);
    const desk = await this.desk.of(caller);
    const about = await this.about(detail, desk);
    const faults = faultsOf(error);
    if (faults) return this.form(path, about, desk, { values, faults }, 422);
    const isMoved = error instanceof OrderMoved;
    if (!isMoved && !(error instanceof NotPermitted)) throw error;
    const refusal = refusalNow(path, detail, desk);
    const meanwhile = whatHappened(detail.timeline, seen.version, caller.staffId, desk.now);
    const what = (isMoved ? meanwhile : null) ?? refusal ?? error.detail;
    const refused = { what, possible: refusal === null };
    return this.form(path, about, desk, { values, refused }, error.status);
  }

  private async about(detail: OrderDetail, { now, calendar }: Desk): Promise<FormContext> {
    const { items: people } = await this.actions.people();
    const { order, possibleDuplicates, othersOfClient } = detail;
    const twins = [...possibleDuplicates, ...othersOfClient]
      .filter(({ state, client }) => state !== 'duplicate' && client.id === order.client.id)
      .map(({ reference }) => reference);
    return { order, people, twins: [...new Set(twins)], now, calendar };
  }

  private form(
    path: MovePath,
    about: FormContext,
    { viewer, counts }: Desk,
    shown: Shown,
    status?: number,
  ): WrittenHtml {
    return page(
      <MoveFormPage viewer={viewer} counts={counts} path={path} about={about} {...shown} />,
      status,
    );
  }
}

function pathOf(text: string): MovePath {
  if (isMovePath(text)) return text;
  throw new NotFound();
}

/** Why the viewer cannot make the move as the order is; null where it can be made. */
function refusalNow(path: MovePath, { order }: OrderDetail, { viewer, now }: Desk): string | null {
  const { move } = moveForms[path];
  if (move === null) return null;
  const { state, ownerId, closedAt, client } = order;
  const standing = { state, ownerId, closedAt, clientId: client.id };
  return refusalOf(standing, move, moverOf(viewer), now)?.detail ?? null;
}

/** The faults of fields that a problem tells of; null where it is about something else. */
function faultsOf(problem: Problem): Faults | null {
  if (problem instanceof UnknownPerson) {
    return new Map([['ownerId', 'This person cannot take orders any more; choose another one.']]);
  }
  const faults = problem.errors
    .filter(({ pointer }) => pointer.length > 1)
    .map(({ pointer, detail }) => [pointer.slice(1), detail] as const);
  return faults.length > 0 ? new Map(faults) : null;
}

import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { type FormField, seenIn, valuesOf, withStored } from '../../platform/ui/forms/form-spec.js';
import { ownForm, type Refusal, send } from '../../platform/ui/forms/input-form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { type Weekday, weekdayNames } from '../record/site-details.dto.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { StaffAmendment } from '../staff/moves.dto.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import { orderMessages } from '../staff/order-messages.js';
import { AmendmentsService } from './amendments.service.js';

/** By the path of what each is in the amendment. */
const texts: readonly (readonly [path: string, label: string, most: number])[] = [
  ['reference', 'Client reference', 64],
  ['contact.name', 'Contact name', 120],
  ['contact.phone', 'Contact phone', 40],
  ['contact.email', 'Contact email', 254],
  ['details.organisation', 'Organisation at the site', 120],
  ['details.address', 'Address without the postcode', 483],
  ['details.floor', 'Floor', 40],
  ['details.room', 'Room', 40],
  ['details.siteContact.name', 'Site contact name', 120],
  ['details.siteContact.phone', 'Site contact phone', 40],
  ['details.siteContact.email', 'Site contact email', 254],
  ['details.interconnect', 'Interconnect', 32],
  ['preferredDays.days', 'Preferred days', 80],
  ['preferredDays.note', 'Note on these days', 200],
];

type Stated = Record<string, unknown>;

const ADDRESS = 'details.address';
const DAYS = 'preferredDays.days';

function fieldsOf({ clientReference, contact, details, preferredDays }: FollowUpOrder) {
  const stated = { reference: clientReference, contact, details, preferredDays };
  return texts.map(([name, label, most]): FormField => {
    const field = { name, label, first: textAt(stated, name), most };
    if (name === ADDRESS) return { ...field, kind: 'long', hint: 'Up to 4 lines.' };
    return name === DAYS ? { ...field, hint: 'Such as Monday, Thursday.' } : field;
  });
}

function textAt(stated: object, path: string): string {
  let at: unknown = stated;
  for (const name of path.split('.')) at = (at as Stated | null | undefined)?.[name];
  if (!Array.isArray(at)) return typeof at === 'string' ? at : '';
  return path === DAYS ? at.map((day: Weekday) => weekdayNames[day]).join(', ') : at.join('\n');
}

/** A member of which nothing differs from the form as it was opened is left out: only what is typed can be wrong. */
function amendmentIn(form: Form): object {
  const changed = texts
    .filter(([name]) => form.text(name) !== (seenIn(form, name) ?? ''))
    .map(([name]) => memberOf(name));
  const stated: Stated = {};
  for (const [name] of texts) {
    const value = valueOf(name, form.text(name));
    if (value === undefined) continue;
    const path = name.split('.');
    const last = path.pop()!;
    let at = stated;
    for (const part of path) at = (at[part] ??= {}) as Stated;
    at[last] = value;
  }
  const members = changed.map((member) => [member, stated[member] ?? null] as const);
  return { version: form.number('version'), ...Object.fromEntries<unknown>(members) };
}

const memberOf = (path: string) => path.split('.')[0]!;

function valueOf(name: string, text: string): string | string[] | undefined {
  if (text === '') return undefined;
  if (name === ADDRESS) return text.split(/\s*\n\s*/);
  if (name !== DAYS) return text;
  const days = text.split(/[\s,;]+/).filter((day) => day !== '');
  return days.map((day) => day.slice(0, 3).toLowerCase());
}

/** `/details/address/2` is the field `details.address`. */
function fieldAt(pointer: string): string {
  const path = pointer.slice(1).replaceAll('/', '.');
  return path.replace(/\.\d+$/, '');
}

function amendmentForm(order: FollowUpOrder) {
  const fields = fieldsOf(order);
  return ownForm({ type: StaffAmendment, fields, read: amendmentIn, fieldAt });
}

/** What staff change in an order or an enquiry: the same as its client can. */
@StaffPages('staff', 'agent')
export class AmendmentPagesController {
  constructor(
    private readonly details: OrderDetailService,
    private readonly amendments: AmendmentsService,
  ) {}

  @Get('orders/:reference/amendment')
  async showAmendment(@Visited() { viewer }: Visit, @Param('reference') reference: string) {
    const { order } = await this.details.findByReference(reference);
    return page(<AmendmentPage viewer={viewer} order={order} />);
  }

  @Post('orders/:reference/amendment')
  async amend(@Visited() { viewer, form }: Visit, @Param('reference') asked: string) {
    const { order } = await this.details.findByReference(asked);
    const { orderId, reference } = order;
    const refusal = await send(amendmentForm(order), form, ({ version, ...amendment }) =>
      this.amendments.amendSeen({ orderId, version }, amendment, viewer),
    );
    if (!('refused' in refusal)) {
      const path = `${reference}/amendment`;
      return orderMessages.redirect(`/staff/orders/${reference}`, 'amended', path);
    }
    const { status, conflict } = refusal;
    const { order: changed } = await this.details.find(orderId);
    const typed = status === 409 ? withStored(form, fieldsOf(changed), changed.version) : form;
    const refused = { conflict, refused: { ...refusal.refused, form: typed } };
    return page(<AmendmentPage viewer={viewer} order={changed} refusal={refused} />, status);
  }
}

interface AmendmentPageProps {
  readonly viewer: StaffCaller;
  readonly order: FollowUpOrder;
  readonly refusal?: Partial<Refusal>;
}

function AmendmentPage(props: AmendmentPageProps) {
  const { order, refusal } = props;
  const form = amendmentForm(order);
  const sent = refusal?.refused?.form;
  const version = sent?.number('version') || order.version;
  const seen = sent?.text('seen') ?? JSON.stringify(valuesOf(form.fields));
  return (
    <OrderActionPage
      {...props}
      title={`Amend the ${order.kind}:`}
      path="amendment"
      dialog
      hidden={{ version, seen }}
      form={form}
      button="Save"
    >
      <p class="intro">The client sees what you change.</p>
    </OrderActionPage>
  );
}

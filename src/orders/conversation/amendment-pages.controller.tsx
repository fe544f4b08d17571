import { Get, Param, Post } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { ownForm, type Refusal, send } from '../../platform/ui/forms/input-form.js';
import { seenIn, valuesOf, withStored } from '../../platform/ui/forms/seen-values.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { weekdayNames } from '../record/site-details.dto.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { StaffAmendment } from '../staff/moves.dto.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import { orderMessages } from '../staff/order-messages.js';
import { AmendmentsService } from './amendments.service.js';

/** A field for one text. */
type LineField = readonly [name: string, label: string, first: string | undefined, most: number];

function fieldsOf({ clientReference, contact, details, preferredDays }: FollowUpOrder) {
  const { siteContact } = details ?? {};
  const days = preferredDays?.days.map((day) => weekdayNames[day]).join(', ');
  const lines: readonly LineField[] = [
    ['reference', 'Client reference', clientReference ?? '', 64],
    ['contact-name', 'Contact name', contact.name, 120],
    ['contact-phone', 'Contact phone', contact.phone, 40],
    ['contact-email', 'Contact email', contact.email, 254],
    ['organisation', 'Organisation at the site', details?.organisation, 120],
    ['address', 'Address without the postcode', details?.address?.join('\n'), 483],
    ['floor', 'Floor', details?.floor, 40],
    ['room', 'Room', details?.room, 40],
    ['site-name', 'Site contact name', siteContact?.name, 120],
    ['site-phone', 'Site contact phone', siteContact?.phone, 40],
    ['site-email', 'Site contact email', siteContact?.email, 254],
    ['interconnect', 'Interconnect', details?.interconnect, 32],
    ['days', 'Preferred days', days, 80],
    ['days-note', 'Note on these days', preferredDays?.note, 200],
  ];
  return lines.map(([name, label, first = '', most]): FormField => {
    const field = { name, label, first, most };
    if (name === 'address') return { ...field, kind: 'long', hint: 'Up to 4 lines.' };
    return name === 'days' ? { ...field, hint: 'Such as Monday, Thursday.' } : field;
  });
}

/** What is as the form was opened is left out: only what is typed can be wrong. */
function amendmentIn(form: Form): object {
  const textOf = (name: string) => form.text(name) || undefined;
  const isChanged = (...names: string[]) =>
    names.some((name) => form.text(name) !== (seenIn(form, name) ?? ''));
  /** The stated ones of these; null for none, undefined where all are as they were. */
  const group = (prefix: string, ...names: string[]) => {
    const stated = names.flatMap((name) => {
      const text = textOf(`${prefix}${name}`);
      return text === undefined ? [] : [[name, text] as const];
    });
    return stated.length === 0 ? null : Object.fromEntries(stated);
  };
  const site = ['site-name', 'site-phone', 'site-email'];
  const isSite = isChanged('organisation', 'address', 'floor', 'room', ...site, 'interconnect');
  const places = group('', 'organisation', 'floor', 'room', 'interconnect');
  const siteContact = group('site-', 'name', 'phone', 'email');
  const address = textOf('address')?.split(/\s*\n\s*/);
  const details = {
    ...places,
    ...(address && { address }),
    ...(siteContact && { siteContact }),
  };
  const days = (textOf('days') ?? '').split(/[\s,;]+/).filter((day) => day !== '');
  const note = textOf('days-note');
  const hasDays = days.length > 0 || note !== undefined;
  return {
    version: form.number('version'),
    reference: isChanged('reference') ? (textOf('reference') ?? null) : undefined,
    contact: isChanged('contact-name', 'contact-phone', 'contact-email')
      ? group('contact-', 'name', 'phone', 'email')
      : undefined,
    details: isSite ? (Object.keys(details).length > 0 ? details : null) : undefined,
    preferredDays: !isChanged('days', 'days-note')
      ? undefined
      : hasDays
        ? { days: days.map((day) => day.slice(0, 3).toLowerCase()), note }
        : null,
  };
}

/** `/details/siteContact/phone` is the field `site-phone`. */
function fieldAt(pointer: string): string {
  const names = pointer
    .slice(1)
    .replace(/^(details\/siteContact|contact|preferredDays)\//, (_all, of: string) =>
      of === 'contact' ? 'contact-' : of === 'preferredDays' ? '' : 'site-',
    )
    .replace(/^details\//, '');
  return names === 'note' ? 'days-note' : names.replace(/\/\d+$/, '');
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

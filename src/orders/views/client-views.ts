/** An order and an enquiry as their API client sees them. */
import { completed } from '../../catalogue/content/offers.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { printUprn } from '../../platform/kernel/uprn.js';
import type { ClientEnquiry, EnquiryOffer } from '../record/enquiries.dto.js';
import type { ClientOrder, OrderCharge } from '../record/orders.dto.js';
import type { OrderDelivery } from '../record/delivery.dto.js';
import type { WorkKind } from '../record/order-states.js';
import type { Compatibility } from '../../platform/kernel/client-options.js';
import { publicStateOf, stateChanges, type StateEntry } from '../record/public-state.js';
import { isProductOrder, type Order, nothingNamed, quoteLineOf } from '../record/order.entity.js';

/** How the client of a kind of request sees it. */
export interface ClientView<T> {
  readonly kind: WorkKind;
  print(order: Order, about: ShownWith): T;
}

/** What the client sees with an order or an enquiry. */
export interface ShownWith {
  /** Of its audit trail: those that have a state, oldest first. */
  readonly entries: readonly StateEntry[];
  readonly charges: OrderCharge[];
  readonly delivery: OrderDelivery | null;
  /** Of the client; `0.2` has no constraints. */
  readonly compatibility: Compatibility;
  readonly offers: EnquiryOffer[];
  /** The offer that an order accepts. */
  readonly offerId: string | null;
}

export const orderView: ClientView<ClientOrder> = {
  kind: 'order',
  print(order, { entries, charges, delivery, offerId, compatibility }) {
    if (!isProductOrder(order)) throw new TypeError(`${order.reference} is not an order.`);
    return {
      orderId: order.id,
      orderReference: order.reference,
      reference: order.clientReference,
      state: publicStateOf(order),
      stateChanges: stateChanges('order', entries),
      postcode: order.postcode,
      uprn: printUprn(order.uprn),
      product: completed(order.terms),
      checkId: order.checkId,
      enquiryId: order.enquiryId,
      offerId,
      ...quoteLineOf(order),
      nearest: order.nearest,
      ...constraintsFor(compatibility, order),
      details: order.details,
      preferredDays: order.preferredDays,
      receivedAt: order.receivedAt,
      acceptExtraUpTo:
        order.acceptExtraMinor === null ? null : majorUnits(order.acceptExtraMinor, order.currency),
      expedite: order.expedite,
      charges,
      delivery,
      updatedAt: order.publicStateAt,
    };
  },
};

export const enquiryView: ClientView<ClientEnquiry> = {
  kind: 'enquiry',
  print: (enquiry, { entries, offers, compatibility }) => ({
    enquiryId: enquiry.id,
    enquiryReference: enquiry.reference,
    reference: enquiry.clientReference,
    state: publicStateOf({ ...enquiry, kind: 'enquiry' }),
    stateChanges: stateChanges('enquiry', entries),
    postcode: enquiry.postcode,
    uprn: printUprn(enquiry.uprn),
    wanted: enquiry.wanted ?? nothingNamed,
    offers,
    checkId: enquiry.checkId,
    ...quoteLineOf(enquiry),
    ...constraintsFor(compatibility, enquiry),
    details: enquiry.details,
    preferredDays: enquiry.preferredDays,
    receivedAt: enquiry.receivedAt,
    updatedAt: enquiry.publicStateAt,
  }),
};

function constraintsFor(compatibility: Compatibility, { constraints }: Pick<Order, 'constraints'>) {
  return compatibility === '0.2' ? {} : { constraints: [...(constraints ?? [])] };
}

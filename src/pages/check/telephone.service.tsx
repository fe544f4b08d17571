import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AvailabilityService } from '../../availability/availability.service.js';
import type { Check } from '../../availability/check.entity.js';
import { ChecksService } from '../../availability/checks.service.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { ClientsService } from '../../clients/clients.service.js';
import type { StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { readCrockford } from '../../kernel/crockford.js';
import { postcodeOf } from '../../problems/postcode.errors.js';
import { NotFound, Problem, ValidationFailed } from '../../problems/problem.js';
import { validated } from '../../http/valid.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { readIdempotencyKey } from '../../orders/placing/idempotency.js';
import type { TelephoneClient } from '../../orders/placing/ordering-client.js';
import { OrderRequest } from '../../orders/orders.dto.js';
import {
  OfferChanged,
  ProductNotAvailable,
  RequestInProgress,
} from '../../orders/orders.errors.js';
import { type PlacedOrder, OrdersService } from '../../orders/placing/orders.service.js';
import { CheckOrderPage, noFields, type Obstacle, type OrderFields } from './check-order-page.js';
import { addressOf, type CheckClient, RecordedCheckPage } from './check-page.js';
import type { Form } from '../forms/form.js';
import { page } from '../shell/render.js';

/** A second press of a button meets the first still at work for so many times so many milliseconds. */
const PATIENCE = { times: 8, milliseconds: 150 };

/** What a form of an order was opened with. */
interface Call {
  readonly check: Check;
  readonly client: CheckClient;
  readonly offers: readonly Offer[];
}

/** Checks and orders of API clients that are on the telephone. */
@Injectable()
export class TelephoneService {
  constructor(
    private readonly clients: ClientsService,
    private readonly availability: AvailabilityService,
    private readonly checks: ChecksService,
    private readonly orders: OrdersService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Records the check, and leads to the order of its product, or to the record. */
  async record(viewer: StaffCaller, form: Form): Promise<SeeOther> {
    const postcode = postcodeOf(form.text('postcode'));
    const client = await this.clientOf(form.text('client'));
    const check = await this.availability.checkByTelephone(postcode, callerFor(client), viewer);
    const product = form.text('product');
    return new SeeOther(
      product === ''
        ? `/staff/check/${check.id}?noted=yes`
        : `/staff/check/${check.id}/order?${new URLSearchParams({ product }).toString()}`,
    );
  }

  async showCheck(viewer: StaffCaller, id: string, query: Form): Promise<WrittenHtml> {
    const check = await this.checkOf(id);
    const client = (await this.clients.list()).find((one) => one.id === check.clientId) ?? null;
    const offers = await this.availability.offersOf(check);
    const now = this.clock.now();
    const noted = query.has('noted') && check.staffId === viewer.staffId;
    return page(<RecordedCheckPage {...{ viewer, check, client, offers, now, noted }} />);
  }

  async showForm(viewer: StaffCaller, id: string, query: Form): Promise<WrittenHtml> {
    const call = await this.callOf(id);
    const fields = { ...noFields, product: query.text('product') };
    if (!call.offers.some(({ productCode }) => productCode === fields.product)) {
      throw new NotFound('This product was not offered in this check.');
    }
    return this.draw(viewer, call, { fields });
  }

  async place(viewer: StaffCaller, id: string, form: Form): Promise<WrittenHtml | SeeOther> {
    const call = await this.callOf(id);
    const fields = fieldsOf(form);
    const onceKey = form.text('key');
    try {
      const request = await validated(OrderRequest, requestOf(call.check, fields));
      const { orderId } = await this.placeOnce(request, onceKey, call.client, viewer);
      return new SeeOther(`/staff/orders/${orderId}`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return this.refuse(problem, { viewer, call, fields, onceKey });
    }
  }

  private async placeOnce(
    request: OrderRequest,
    onceKey: string,
    client: CheckClient,
    viewer: StaffCaller,
  ): Promise<PlacedOrder> {
    const key = readIdempotencyKey(`telephone:${onceKey}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.orders.place(request, key, callerFor(client), viewer);
      } catch (error) {
        if (!(error instanceof RequestInProgress) || attempt === PATIENCE.times) throw error;
        await delay(PATIENCE.milliseconds);
      }
    }
  }

  /** The same form with what was typed, and what stands in the way. */
  private async refuse(
    problem: Problem,
    sent: { viewer: StaffCaller; call: Call; fields: OrderFields; onceKey: string },
  ): Promise<WrittenHtml> {
    const { viewer, call, fields, onceKey } = sent;
    const { status } = problem;
    if (problem instanceof ValidationFailed) {
      return this.draw(viewer, call, { fields, onceKey, faults: faultsOf(problem), status });
    }
    if (problem instanceof OfferChanged || problem instanceof ProductNotAvailable) {
      return this.offerAnew(problem, sent);
    }
    if (problem.code === 'idempotency-key-reused') {
      const link = {
        href: `/staff/queue?view=all&client=${call.client.id}`,
        text: `Orders of ${call.client.name}`,
      };
      const obstacle = {
        title: 'This form has placed an order already',
        text: 'What it says now is something else. Look at that order first; to place another one, send this form again.',
        link,
      };
      return this.draw(viewer, call, { fields, obstacle, status });
    }
    const obstacle = { title: problem.title, text: problem.detail };
    return this.draw(viewer, call, { fields, onceKey, obstacle, status });
  }

  /** With a check of now, which the form cites when it is sent again. */
  private async offerAnew(
    problem: OfferChanged | ProductNotAvailable,
    { viewer, call, fields }: { viewer: StaffCaller; call: Call; fields: OrderFields },
  ): Promise<WrittenHtml> {
    const { client } = call;
    const postcode = postcodeOf(call.check.postcode);
    const check = await this.availability.checkByTelephone(postcode, callerFor(client), viewer);
    const offers = await this.availability.offersOf(check);
    const before = call.offers.find(({ productCode }) => productCode === fields.product);
    const isSold = offers.some(({ productCode }) => productCode === fields.product);
    const obstacle: Obstacle = isSold
      ? {
          title: 'The offer has changed since you looked',
          text: 'Tell the caller the new one. Nothing was ordered yet, and what you typed is kept.',
        }
      : {
          title: 'This product is no longer sold there',
          text:
            offers.length > 0
              ? 'Choose another one below. Nothing was ordered yet, and what you typed is kept.'
              : 'Nothing was ordered.',
          link: {
            href: addressOf({ postcode: postcode.unit, client: client.id, order: 'bandwidth' }),
            text: `See what is sold at ${postcode.unit}`,
          },
        };
    return this.draw(
      viewer,
      { client, check, offers },
      { fields, obstacle, ...(isSold && { before }), status: problem.status },
    );
  }

  private draw(
    viewer: StaffCaller,
    call: Call,
    about: {
      fields: OrderFields;
      onceKey?: string;
      faults?: Map<string, string>;
      obstacle?: Obstacle;
      before?: Offer;
      status?: number;
    },
  ): WrittenHtml {
    const { status, onceKey = randomUUID(), ...shown } = about;
    const now = this.clock.now();
    const held = this.config.priceHoldMinutes * 60_000;
    const heldUntil = new Date(call.check.checkedAt.getTime() + held);
    return page(
      <CheckOrderPage {...{ viewer, ...call, ...shown, onceKey, now, heldUntil }} />,
      status,
    );
  }

  private async checkOf(id: string): Promise<Check> {
    const check = await this.checks.find(readCrockford(id));
    if (!check) throw new NotFound('There is no check with this id.');
    return check;
  }

  private async callOf(id: string): Promise<Call> {
    const check = await this.checkOf(id);
    const client = await this.clientOf(check.clientId);
    return { check, client, offers: await this.availability.offersOf(check) };
  }

  private async clientOf(id: string): Promise<CheckClient> {
    const client = (await this.clients.list()).find((one) => one.id === id && one.enabled);
    if (!client) throw new NotFound('This client is no longer there, or is disabled.');
    return client;
  }
}

function callerFor({ id, name, priceList }: CheckClient): TelephoneClient {
  return { clientId: id, name, priceList, isTest: false };
}

function fieldsOf(form: Form): OrderFields {
  return {
    product: form.text('product'),
    name: form.text('name'),
    email: form.text('email'),
    phone: form.text('phone'),
    reference: form.text('reference'),
    notes: form.text('notes'),
  };
}

/** What the client's own system would send; what is empty is left out. */
function requestOf({ id, postcode }: Check, fields: OrderFields): object {
  const { product, name, email, phone, reference, notes } = fields;
  const contact = { ...(name && { name }), ...(email && { email }), ...(phone && { phone }) };
  return {
    postcode,
    productCode: product,
    checkId: id,
    ...(Object.keys(contact).length > 0 && { contact }),
    ...(reference && { reference }),
    ...(notes && { notes }),
  };
}

const labels: Readonly<Record<string, [field: string, label: string]>> = {
  '/contact/name': ['name', 'Name'],
  '/contact/email': ['email', 'E-mail'],
  '/contact/phone': ['phone', 'Telephone'],
  '/reference': ['reference', "The client's own reference"],
  '/notes': ['notes', 'Note'],
  '/productCode': ['product', 'Product'],
};

function faultsOf({ errors }: ValidationFailed): Map<string, string> {
  return new Map(
    errors.map(({ pointer, detail }) => {
      const [field, label] = labels[pointer] ?? ['product', 'Order'];
      return [field, `${label}: ${detail.charAt(0).toLowerCase()}${detail.slice(1)}`];
    }),
  );
}

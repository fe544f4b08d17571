import { Get, Param, Post } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { ComponentProps } from 'preact';
import type { StaffCaller } from '../platform/access/caller.js';
import type { Premises } from '../catalogue/content/premises-index.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { ExplainService } from '../catalogue/shown/explain.service.js';
import { NO_CLIENT, ShownService } from '../catalogue/shown/shown.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { isDirectClient } from '../clients/api-client.entity.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import { Config } from '../platform/config/config.js';
import { SeeOther } from '../platform/http/written.js';
import { Clock } from '../platform/kernel/clock.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { MINUTE } from '../platform/kernel/time.js';
import { onTelephone } from '../orders/placing/ordering-client.js';
import { OfferChanged, ProductNotAvailable } from '../orders/record/orders.errors.js';
import { type TelephoneCheck, TelephoneService } from './telephone.service.js';
import { NotFound } from '../platform/problems/problem.js';
import { type Form, type Visit, Visited } from '../platform/ui/forms/form.js';
import { readQuery, type Refusal, send } from '../platform/ui/forms/input-form.js';
import { MOST_POINTS } from '../orders/staff/orders-context.service.js';
import { orderMessages } from '../orders/staff/order-messages.js';
import { page } from '../platform/ui/render.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import {
  CheckEnquiryPage,
  enquiryForm,
  enquiryObstacleOf,
  CheckOrderPage,
  draftOfOrder,
  obstacleOf,
  orderForm,
  callerForm,
  CallerWatchPage,
  CannotNotifyPage,
} from './caller-pages.js';
import { checkForm, type PostcodeQuery } from './check-fields.js';
import {
  CheckPage,
  enquiryAddress,
  orderAddress,
  RecordedCheckPage,
  watchMessages,
} from './check-page.js';

/** Premises to choose from. */
const MOST_PREMISES = 500;

interface OrderAttempt extends Partial<ComponentProps<typeof CheckOrderPage>> {
  readonly status?: number;
}

/** Checks of a postcode, and orders for clients on the phone. */
@StaffPages('staff/check', 'agent')
export class CheckPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly catalogue: CatalogueService,
    private readonly shown: ShownService,
    private readonly explain: ExplainService,
    private readonly telephone: TelephoneService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  @Get()
  async checkPostcode(@Visited() { viewer, query }: Visit) {
    const clients = (await this.clients.list()).filter(
      (client) => client.enabled && !isDirectClient(client),
    );
    const postcode = parsePostcode(query.text('postcode'));
    const premises = this.premisesAt(postcode);
    const uprn = parseUprn(query.text('uprn'));
    // Another postcode makes the choice of premises void.
    const building = premises.find((listed) => listed.uprn === uprn) ?? null;
    const asked: PostcodeQuery = {
      postcode: query.text('postcode'),
      uprn: building ? String(uprn) : '',
      client: query.text('client'),
    };
    const form = checkForm(clients, asked, premises);
    const drawn = { viewer, fields: form.fields, asked };
    if (!query.has('postcode')) return page(<CheckPage {...drawn} />);
    const read = readQuery(form, query);
    if ('refused' in read || !(postcode instanceof Postcode)) {
      return page(<CheckPage {...drawn} {...read} />, 400);
    }
    const client = clients.find(({ id }) => id === asked.client) ?? null;
    const caller = client ? onTelephone(client) : NO_CLIENT;
    const shown = this.shown.shownTo(caller);
    const place = shown.at({ postcode, uprn: building && uprn });
    const { list: offers, readyDate } = place.offers;
    const tracks = this.shown.tracksFor('staff');
    const answer = {
      offers,
      readyDate,
      building,
      why: await this.explain.explainPlace(place),
      client,
      canNotify: this.telephone.canNotify(client),
      around: place.near === null ? null : place.pointsAround(MOST_POINTS),
      now: shown.now,
      trackOf: tracks && ((offer: Offer) => tracks.of(offer)),
    };
    return page(<CheckPage {...drawn} found={answer} />);
  }

  private premisesAt(postcode: ReturnType<typeof parsePostcode>): readonly Premises[] {
    if (!(postcode instanceof Postcode) || !this.catalogue.loaded) return [];
    return this.catalogue.current.content.premises.at(postcode.packed, 0, MOST_PREMISES);
  }

  /** Records the check and redirects to the form of an order or an enquiry, or else to its record. */
  @Post()
  async recordCheck(@Visited() { viewer, form }: Visit) {
    const { id } = await this.telephone.record(
      form.text('postcode'),
      form.text('uprn'),
      form.text('client'),
      viewer,
    );
    const next = form.text('next');
    if (next === 'enquiry') return new SeeOther(enquiryAddress(id));
    if (next === 'watch') return this.watchFor(await this.telephone.findForOrder(id), viewer);
    const product = form.text('product');
    return new SeeOther(product === '' ? `/staff/check/${id}?new=yes` : orderAddress(id, product));
  }

  /** A client is notified as by its own watch; another caller says where. */
  private async watchFor(shown: TelephoneCheck, viewer: StaffCaller) {
    const { id } = shown.check;
    const canNotify = this.telephone.canNotify(shown.client);
    // The page with the button may be older than the settings.
    if (isDirectClient(shown.client) || !canNotify) return new SeeOther(`/staff/check/${id}/watch`);
    return watched(id, await this.telephone.watch(shown, viewer));
  }

  @Get(':id/watch')
  async showCallerWatch(@Visited() { viewer }: Visit, @Param('id') id: string) {
    const shown = await this.telephone.findForOrder(id);
    return this.telephone.canNotify(shown.client)
      ? page(<CallerWatchPage viewer={viewer} check={shown.check} />)
      : page(<CannotNotifyPage viewer={viewer} {...shown} />);
  }

  @Post(':id/watch')
  async watchForCaller(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const shown = await this.telephone.findForOrder(id);
    if (!isDirectClient(shown.client) || !this.telephone.canNotify(shown.client)) {
      return this.watchFor(shown, viewer);
    }
    const sent = await send(callerForm, form, (caller) =>
      this.telephone.watchForCaller(shown, caller, viewer),
    );
    if ('result' in sent) return watched(id, sent.result);
    const { check } = shown;
    return page(<CallerWatchPage viewer={viewer} check={check} {...sent} />, sent.status);
  }

  @Get(':id')
  async showCheck(@Visited() { viewer, query }: Visit, @Param('id') id: string) {
    const watch = await this.telephone.find(id);
    const isNew = query.has('new') && watch.check.staffId === viewer.staffId;
    return page(
      <RecordedCheckPage
        viewer={viewer}
        {...watch}
        isNew={isNew}
        said={watchMessages.in(query)}
        now={this.clock.now()}
      />,
    );
  }

  @Get(':id/order')
  async showOrderForm(@Visited() { viewer, query }: Visit, @Param('id') id: string) {
    const shown = await this.telephone.findForOrder(id);
    const product = query.text('product');
    if (!shown.offers.some(({ productCode }) => productCode === product)) {
      throw new NotFound('This product was not offered in this check.');
    }
    return this.drawOrder(viewer, shown, product);
  }

  @Post(':id/order')
  async placeOrderByTelephone(@Visited() { viewer, form, query }: Visit, @Param('id') id: string) {
    const shown = await this.telephone.findForOrder(id);
    const sent = await send(orderForm, form, (order) =>
      this.telephone.place(shown, order, form.text('key'), viewer),
    );
    if ('refused' in sent) return this.explainRefusal(sent, viewer, shown, form);
    const draft = draftOfOrder(id, query.text('product'));
    return orderMessages.redirect(`/staff/orders/${sent.result.orderId}`, 'order-taken', draft);
  }

  @Get(':id/enquiry')
  async showEnquiryForm(@Visited() { viewer }: Visit, @Param('id') id: string) {
    const shown = await this.telephone.findForOrder(id);
    return page(<CheckEnquiryPage viewer={viewer} {...shown} onceKey={randomUUID()} />);
  }

  @Post(':id/enquiry')
  async logEnquiry(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const shown = await this.telephone.findForOrder(id);
    const key = form.text('key');
    const sent = await send(enquiryForm, form, (enquiry) =>
      this.telephone.log(shown, enquiry, key, viewer),
    );
    if ('result' in sent) {
      const path = `/staff/orders/${sent.result.enquiryId}`;
      return orderMessages.redirect(path, 'enquiry-logged', `check/${id}/enquiry`);
    }
    const { status, refused, conflict, problem } = sent;
    const isKeyUsed = problem?.code === 'idempotency-key-reused';
    return page(
      <CheckEnquiryPage
        viewer={viewer}
        {...shown}
        refused={refused}
        onceKey={(!isKeyUsed && key) || randomUUID()}
        obstacle={problem && conflict !== undefined ? enquiryObstacleOf(problem) : undefined}
      />,
      status,
    );
  }

  /** The form again, with the typed values and the reason of the refusal. */
  private async explainRefusal(
    { status, refused, conflict, problem }: Refusal,
    viewer: StaffCaller,
    shown: TelephoneCheck,
    form: Form,
  ) {
    const product = form.text('productCode');
    const isStale = problem instanceof OfferChanged || problem instanceof ProductNotAvailable;
    // The form cites the new check when it is sent again.
    const latest = isStale ? await this.telephone.checkAgain(shown, viewer) : shown;
    const isKeyUsed = isStale || problem?.code === 'idempotency-key-reused';
    const hasObstacle = problem && conflict !== undefined;
    return this.drawOrder(viewer, latest, product, {
      status,
      refused,
      onceKey: (!isKeyUsed && form.text('key')) || randomUUID(),
      obstacle: hasObstacle ? obstacleOf(problem, latest, product) : undefined,
      takesOver: isStale ? draftOfOrder(shown.check.id, product) : undefined,
      before: isStale ? shown.offers.find(({ productCode }) => productCode === product) : undefined,
    });
  }

  private drawOrder(
    viewer: StaffCaller,
    shown: TelephoneCheck,
    product: string,
    { status, ...attempt }: OrderAttempt = {},
  ) {
    const heldUntil = shown.check.checkedAt.getTime() + this.config.priceHoldMinutes * MINUTE;
    return page(
      <CheckOrderPage
        viewer={viewer}
        {...shown}
        product={product}
        onceKey={randomUUID()}
        {...attempt}
        heldUntil={new Date(heldUntil)}
        now={this.clock.now()}
      />,
      status,
    );
  }
}

function watched(checkId: string, isServed: boolean): SeeOther {
  const code = isServed ? 'served' : 'watching';
  return watchMessages.redirect(`/staff/check/${checkId}`, code, `check/${checkId}/watch`);
}

import { Get, Param, Post } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ExplainService } from '../../catalogue/versions/explain.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { Config } from '../../config/config.js';
import { SeeOther } from '../../http/written-html.js';
import { Clock } from '../../kernel/clock.js';
import { parsePostcode, Postcode, type PostcodeRefusal } from '../../kernel/postcode.js';
import { OfferChanged, ProductNotAvailable } from '../../orders/orders.errors.js';
import { type TelephoneCheck, TelephoneService } from '../../orders/placing/telephone.service.js';
import { NotFound, Problem, ValidationFailed } from '../../problems/problem.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { refuseForm } from '../forms/form-spec.js';
import { page } from '../shell/render.js';
import { StaffPages } from '../shell/staff-pages.js';
import {
  CheckOrderPage,
  faultsOf,
  type Obstacle,
  obstacleOf,
  orderFields,
} from './check-order-page.js';
import { type CheckClient, CheckPage, type LookUp, RecordedCheckPage } from './check-page.js';
import { offerOrderOf } from './offer-order.js';

/** The price list of a client that has none of its own. */
const STANDARD = 'standard';

interface OrderAttempt {
  readonly form: Form;
  /** The key that the form brought; without it the form gets a new one. */
  readonly onceKey?: string;
  readonly faults?: ReadonlyMap<string, string>;
  readonly obstacle?: Obstacle;
  readonly before?: TelephoneCheck;
  readonly status: number;
}

/** Check a postcode, and order for a client that is on the telephone. */
@StaffPages('staff/check', 'agent')
export class CheckPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly catalogue: CatalogueService,
    private readonly explain: ExplainService,
    private readonly telephone: TelephoneService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  @Get()
  async lookUpPostcode(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    const clients = (await this.clients.list()).filter(({ enabled }) => enabled);
    const lookUp: LookUp = {
      postcode: query.text('postcode'),
      client: query.text('client'),
      order: offerOrderOf(query.text('sort')),
    };
    const shown = { viewer, clients, lookUp };
    if (lookUp.postcode === '' && !query.has('postcode')) return page(<CheckPage {...shown} />);
    const postcode = parsePostcode(lookUp.postcode);
    const client = clients.find(({ id }) => id === lookUp.client) ?? null;
    const faults = lookUpFaults(lookUp, postcode, client);
    if (!(postcode instanceof Postcode) || faults.size > 0) {
      const suggestion = postcode instanceof Postcode ? undefined : postcode.suggestion;
      return page(<CheckPage {...{ ...shown, faults, suggestion }} />, 400);
    }
    const priceList = client?.priceList ?? STANDARD;
    const offers = this.catalogue.current.offersAt(postcode, priceList).list;
    const why = await this.explain.explain(postcode.unit, { priceList });
    return page(<CheckPage {...shown} found={{ offers, why, client }} />);
  }

  /** Records the check, and leads to the order of its product, or to the record. */
  @Post()
  async recordCheck(@Staff() viewer: StaffCaller, @SentForm() form: Form) {
    const { id } = await this.telephone.record(form.text('postcode'), form.text('client'), viewer);
    const product = form.text('product');
    return new SeeOther(
      product === ''
        ? `/staff/check/${id}?noted=yes`
        : `/staff/check/${id}/order?${new URLSearchParams({ product }).toString()}`,
    );
  }

  @Get(':id')
  async showCheck(@Staff() viewer: StaffCaller, @Param('id') id: string, @QueryForm() query: Form) {
    const found = await this.telephone.find(id);
    const noted = query.has('noted') && found.check.staffId === viewer.staffId;
    return page(<RecordedCheckPage {...{ viewer, ...found, noted }} now={this.clock.now()} />);
  }

  @Get(':id/order')
  async showOrderForm(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @QueryForm() query: Form,
  ) {
    const shown = await this.telephone.findForOrder(id);
    const product = query.text('product');
    if (!shown.offers.some(({ productCode }) => productCode === product)) {
      throw new NotFound('This product was not offered in this check.');
    }
    return this.drawOrder(viewer, shown, product);
  }

  @Post(':id/order')
  async placeOrderByTelephone(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ) {
    const shown = await this.telephone.findForOrder(id);
    const order = {
      product: form.text('product'),
      name: form.text('name'),
      email: form.text('email'),
      phone: form.text('phone'),
      reference: form.text('reference'),
      notes: form.text('notes'),
    };
    try {
      const { orderId } = await this.telephone.place(shown, order, form.text('key'), viewer);
      return new SeeOther(`/staff/orders/${orderId}`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return this.explainRefusal(problem, viewer, shown, form);
    }
  }

  /** The same form with what was typed, and why the order was refused. */
  private async explainRefusal(
    problem: Problem,
    viewer: StaffCaller,
    shown: TelephoneCheck,
    form: Form,
  ) {
    const product = form.text('product');
    const attempt = { form, onceKey: form.text('key'), status: problem.status };
    if (problem instanceof ValidationFailed) {
      return this.drawOrder(viewer, shown, product, { ...attempt, faults: faultsOf(problem) });
    }
    if (!(problem instanceof OfferChanged || problem instanceof ProductNotAvailable)) {
      const obstacle = obstacleOf(problem, shown, product);
      const onceKey = problem.code === 'idempotency-key-reused' ? undefined : attempt.onceKey;
      return this.drawOrder(viewer, shown, product, { ...attempt, onceKey, obstacle });
    }
    // The form cites the new check when it is sent again.
    const latest = await this.telephone.checkAgain(shown, viewer);
    return this.drawOrder(viewer, latest, product, {
      ...attempt,
      onceKey: undefined,
      obstacle: obstacleOf(problem, latest, product),
      before: shown,
    });
  }

  private drawOrder(
    viewer: StaffCaller,
    shown: TelephoneCheck,
    product: string,
    attempt?: OrderAttempt,
  ) {
    const refused = attempt && refuseForm(orderFields, attempt.form, attempt.faults ?? new Map());
    const heldUntil = new Date(
      shown.check.checkedAt.getTime() + this.config.priceHoldMinutes * 60_000,
    );
    return page(
      <CheckOrderPage
        {...{ viewer, ...shown, product, refused, heldUntil }}
        onceKey={attempt?.onceKey ?? randomUUID()}
        obstacle={attempt?.obstacle}
        before={attempt?.before?.offers.find(({ productCode }) => productCode === product)}
        now={this.clock.now()}
      />,
      attempt?.status,
    );
  }
}

function lookUpFaults(
  lookUp: LookUp,
  postcode: Postcode | PostcodeRefusal,
  client: CheckClient | null,
): Map<string, string> {
  const faults = new Map<string, string>();
  if (lookUp.postcode === '') faults.set('postcode', 'Type a postcode.');
  else if (!(postcode instanceof Postcode)) {
    // The page shows the suggestion as a link.
    faults.set('postcode', postcode.detail.replace(/ Did you mean [^?]*\?$/, ''));
  }
  if (lookUp.client !== '' && !client) {
    faults.set('client', 'This client is no longer there, or is disabled. Choose another one.');
  }
  return faults;
}

import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DAY } from '../../src/platform/kernel/time.js';
import { Order } from '../../src/orders/record/order.entity.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { type Engine, newDatabase } from './databases.js';
import { FakeClock } from './fake-clock.js';
import type { Http, Reply } from './http.js';
import { MailServer } from './mail-server.js';
import { type Service, startService } from './service.js';
import { StaffBrowser } from './staff-browser.js';
import { postAsStaff } from './moves.js';

export const ENQUIRY = '/product-availability/enquiry';
export const ORDER = '/product-availability/order';

/** An offer of an answer. */
export const line = {
  name: '2G Internet over microwave',
  bandwidthProvisioned: 2,
  bandwidthCapacity: 10,
  term: 24,
  price: 549.99,
  setupPrice: 1_200,
  currency: 'GBP',
  leadTimeDays: 60,
  basis: 'subjectToSurvey',
};
export const terms = {
  ...line,
  extraChargesPossible: true,
  network: null,
  service: null,
  needsInterconnect: false,
};
/** In total more than the limit of approvals. */
export const dear = { ...line, price: 2_000 };

export interface Offer {
  readonly offerId: string;
  readonly answer: number;
  readonly state: string;
  readonly product: { readonly productCode: string };
  readonly validUntil: string;
  readonly orderId: string | null;
}
export interface Enquiry {
  readonly enquiryId: string;
  readonly state: string;
  readonly offers: Offer[];
}
export interface Answer {
  readonly code?: string;
  readonly detail?: string;
  readonly offers?: Offer[];
  readonly orderId?: string;
}

/** Status and code. */
export const outcome = ({ status, body }: Reply<Answer>) => [status, body.code ?? null];

interface Colleague {
  readonly member: StaffMember;
  readonly token: string;
}

/** Clients with enquiries, and the staff who answer them. */
export class OfferDesk {
  /** Of the API client. */
  token = '';
  private calls = 0;

  private constructor(
    /** Of one database. */
    readonly instances: readonly Service[],
    readonly clock: FakeClock,
    readonly mail: MailServer,
    readonly staff: Readonly<Record<'agent' | 'author' | 'manager', Colleague>>,
  ) {}

  static async open(engine: Engine, number = 1): Promise<OfferDesk> {
    const mail = await MailServer.start();
    const clock = new FakeClock();
    const database = await newDatabase(engine);
    const config = {
      rateLimits: false,
      offerApprovalOver: { amount: 25_000, currency: 'GBP' },
      webhookKey: randomBytes(32),
      webhookNetworks: ['127.0.0.0/8'],
      smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
      mailFrom: { name: 'Orders', address: 'orders@operator.example' },
      reminderTimes: [],
    };
    const instances: Service[] = [];
    for (let n = 0; n < number; n += 1) {
      instances.push(await startService(engine, { database, clock, config }));
    }
    const { given } = instances[0]!;
    await given.catalogue();
    for (const one of instances) await one.learnChanges();
    const one = async (name: string, role: 'agent' | 'manager') => {
      const member = await given.staff({ name, role });
      return { member, token: await given.token({ staff: member }) };
    };
    return new OfferDesk(instances, clock, mail, {
      agent: await one('Ada Agent', 'agent'),
      author: await one('Mary Manager', 'manager'),
      manager: await one('Grace Manager', 'manager'),
    });
  }

  get service(): Service {
    return this.instances[0]!;
  }

  /** From now on, another API client sends. */
  async newClient(): Promise<void> {
    this.token = await this.service.given.token();
  }

  /** On each instance in turn. */
  send<T = Answer>(path: string, body: object, token: string): Promise<Reply<T>> {
    this.calls += 1;
    const { http } = this.instances[this.calls % this.instances.length]!;
    return http.post<T>(path, body, { token });
  }

  async read(id: string): Promise<Enquiry> {
    return (await this.service.http.get<Enquiry>(`${ENQUIRY}/${id}`, { token: this.token })).body;
  }

  accept(id: string, offerId: string): Promise<Reply<Answer>> {
    return this.send(`${ENQUIRY}/${id}/acceptance`, { offerId }, this.token);
  }

  decline(id: string, body = {}): Promise<Reply<Answer>> {
    return this.send(`${ENQUIRY}/${id}/decline`, body, this.token);
  }

  staffPost<T = Answer>(path: string, body: object = {}, by = this.staff.agent): Promise<Reply<T>> {
    const send = (to: string, sent: object) => this.send<T>(to, sent, by.token);
    return postAsStaff<T>({ post: send as Http['post'] }, `/follow-up/orders/${path}`, body);
  }

  async answer(id: string, offers: object[], by = this.staff.agent): Promise<Reply<Answer>> {
    return this.staffPost(`${id}/offers`, { version: await this.versionOf(id), offers }, by);
  }

  /** By the manager: approves the answer or, with a reason, refuses it. */
  decide(
    id: string,
    answer: number,
    reason?: string,
    by = this.staff.manager,
  ): Promise<Reply<Answer>> {
    const decision = { approve: reason === undefined, reason };
    return this.staffPost(`${id}/answers/${answer}/decision`, decision, by);
  }

  async versionOf(id: string): Promise<number> {
    const { body } = await this.service.http.get<{ order: { version: number } }>(
      `/follow-up/orders/${id}`,
      { token: this.staff.agent.token },
    );
    return body.order.version;
  }

  /** Its owner will call in a day. */
  async schedule(id: string): Promise<void> {
    const nextActionAt = new Date(this.clock.now().getTime() + DAY);
    const call = { version: await this.versionOf(id), nextActionAt, reason: 'awaiting_client' };
    expect(outcome(await this.staffPost(`${id}/schedule`, call))).toEqual([200, null]);
  }

  /** Of all offers of an enquiry, as staff see them. */
  async states(id: string): Promise<string[]> {
    const { body } = await this.service.http.get<{ offers: Offer[] }>(`/follow-up/orders/${id}`, {
      token: this.staff.agent.token,
    });
    return body.offers.map(({ state }) => state);
  }

  ordersOf(enquiryId: string): Promise<Order[]> {
    return this.service.get(Transactions).read((tx) => tx.findBy(Order, { enquiryId }));
  }

  /** An enquiry that the agent owns. */
  async enquiry(about: object = {}): Promise<string> {
    const { status, body } = await this.send<{ enquiryId: string }>(
      ENQUIRY,
      { postcode: 'EC2A 2BS', wanted: { bandwidth: 2 }, reference: 'RFQ-1', ...about },
      this.token,
    );
    expect(status).toBe(201);
    const { status: claimed } = await this.staffPost(`${body.enquiryId}/claim`, { version: 0 });
    expect(claimed).toBe(200);
    return body.enquiryId;
  }

  /** An enquiry of a caller who is no client, which the agent logs on the phone. */
  async directEnquiry(caller: Readonly<Record<string, string>>): Promise<string> {
    const browser = await StaffBrowser.signedIn(this.service, {}, this.staff.agent.member);
    const opened = await browser.post('/staff/check', {
      postcode: 'EC2A 2BS',
      client: '',
      next: 'enquiry',
    });
    const form = await browser.get(opened.headers.location!);
    const key = /name="key" value="([^"]+)"/.exec(form.text)![1]!;
    const wanted = { bandwidth: '2', term: '24' };
    const logged = await browser.post(opened.headers.location!, { key, ...wanted, ...caller });
    const id = /^\/staff\/orders\/([^?]+)/.exec(logged.headers.location ?? '')?.[1];
    expect([logged.status, id]).toEqual([303, expect.anything()]);
    return id!;
  }

  /** An enquiry with open offers. */
  async offered(offers: object[] = [line]): Promise<{ id: string; offers: Offer[] }> {
    const id = await this.enquiry();
    const reply = await this.answer(id, offers);
    expect(outcome(reply)).toEqual([201, null]);
    return { id, offers: reply.body.offers! };
  }
}

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { dear, line, OfferDesk, outcome } from '../support/offers.js';

const costly = { ...line, term: 12, price: 1_200 };

describe('emails about offers', () => {
  let desk: OfferDesk;
  beforeAll(async () => {
    desk = await OfferDesk.open('sqlite');
  });
  beforeEach(async () => {
    await desk.newClient();
    await received();
    desk.mail.mails.splice(0);
  });

  async function received() {
    desk.clock.advance({ minutes: 1 });
    await desk.service.get(DeliveryService).deliverDue();
    return desk.mail.mails.splice(0);
  }
  const subjectOf = (source: string) => /^Subject: ([^\r]+)/m.exec(source)?.[1];

  it('reach the API client, never the contact of its enquiry, who may be its customer', async () => {
    const contact = { name: 'Ola', email: 'ola@customer.example' };
    const id = await desk.enquiry({ contact });
    await received();
    expect(outcome(await desk.answer(id, [costly]))).toEqual([201, null]);
    const mails = await received();
    expect(mails.map(({ to }) => to)).toEqual([['grace@reseller.example']]);
    const [{ source }] = mails as [(typeof mails)[0]];
    expect(subjectOf(source)).toMatch(/^Our offer for your enquiry ENQ-/);
    expect(source).toContain('Hello Grace Hopper,');
    expect(source).toContain('Monthly price (excl. VAT): £1,200.00');
    expect(source).toContain('To accept an offer, use the API, or tell us');
    expect(source).not.toContain('ola@customer.example');
  });

  it('reach a caller who is no client, who is not told to use the API', async () => {
    const id = await desk.directEnquiry({ name: 'Ola Nilsen', email: 'ola@customer.example' });
    expect(outcome(await desk.answer(id, [costly]))).toEqual([201, null]);
    const mails = await received();
    expect(mails.map(({ to }) => to)).toEqual([['ola@customer.example']]);
    const [{ source }] = mails as [(typeof mails)[0]];
    expect(source).toContain('Hello Ola Nilsen,');
    expect(source).toContain('To accept an offer, or to ask a question, contact us');
    expect(source).not.toMatch(/API|Direct enquiries/);
  });

  it('are not sent for an enquiry that has ended meanwhile', async () => {
    const { id } = await desk.offered();
    desk.clock.advance({ seconds: 5 });
    const lost = { version: await desk.versionOf(id), reason: 'price' };
    expect(outcome(await desk.staffPost(`${id}/lose`, lost))).toEqual([200, null]);
    const subjects = (await received()).map(({ source }) => subjectOf(source));
    expect(subjects.filter((subject) => subject?.startsWith('Our offer'))).toEqual([]);
  });

  it('ask managers for approval, but neither the author nor one who has been disabled', async () => {
    const approvers = async (by = desk.staff.agent) => {
      expect(outcome(await desk.answer(await desk.enquiry(), [dear], by))).toEqual([201, null]);
      const mails = await received();
      const asking = mails.find(({ source }) => subjectOf(source)?.startsWith('Approval needed'));
      return [...asking!.to].sort();
    };
    const { author, manager } = desk.staff;
    const both = [author.member.email, manager.member.email].sort();
    const staff = desk.service.get(StaffService);
    expect(await approvers()).toEqual(both);
    expect(await approvers(author)).toEqual([manager.member.email]);
    await staff.setEnabled(author.member.id, false, operator);
    expect(await approvers()).toEqual([manager.member.email]);
    await staff.setEnabled(author.member.id, true, operator);
  });

  it('are not sent where a caller who is no client gave no address', async () => {
    const id = await desk.directEnquiry({ name: 'Ola Nilsen', phone: '020 7946 0123' });
    expect(outcome(await desk.answer(id, [costly]))).toEqual([201, null]);
    expect(await received()).toEqual([]);
  });
});

import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/kernel/clock.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { OfferChangesService } from '../offers/offer-changes.service.js';
import type { OrdersTx } from '../record/order-tables.js';
import type { OfferState } from '../record/offer-states.js';
import { type OfferLine, OffersService } from '../offers/offers.service.js';
import { sandboxStaff } from './test-moves.js';

const lines: readonly OfferLine[] = [
  {
    name: '2G Internet over microwave',
    bandwidthProvisioned: 2,
    bandwidthCapacity: 10,
    term: 24,
    price: 650,
    setupPrice: 1_200,
    currency: 'GBP',
    leadTimeDays: 60,
    basis: 'subjectToSurvey',
    note: 'A survey confirms the line of sight.',
  },
  {
    name: '2G Internet over fibre',
    bandwidthProvisioned: 2,
    bandwidthCapacity: 10,
    term: 36,
    price: 580,
    setupPrice: 0,
    currency: 'GBP',
    leadTimeDays: 180,
    basis: 'firm',
  },
];

/** Plays the staff who answer a test enquiry. */
@Injectable()
export class TestOffersService {
  constructor(
    private readonly offers: OffersService,
    private readonly changes: OfferChangesService,
    private readonly clock: Clock,
  ) {}

  /** Answers with two offers. @param isExpired their time is over at once */
  async send(tx: OrdersTx, enquiryId: string, isExpired: boolean): Promise<void> {
    const locked = await this.changes.lock(tx, enquiryId);
    const answer = Math.max(0, ...locked.offers.map((one) => one.answer)) + 1;
    const validUntil = new Date(this.clock.now().getTime() - MINUTE);
    const rows = lines.map((line) => ({
      ...this.offers.offerOf(line, { enquiryId, answer, createdBy: null }),
      ...(isExpired && { validUntil }),
    }));
    await this.offers.add(tx, locked, rows, sandboxStaff);
  }

  /** The time of the open offers is over. */
  async expire(tx: OrdersTx, enquiryId: string): Promise<void> {
    const locked = await this.changes.lock(tx, enquiryId);
    const open = locked.offers.filter(({ state }) => state === 'open');
    const changes = new Map(open.map(({ id }): [string, OfferState] => [id, 'expired']));
    await this.changes.store(tx, locked, changes);
    await this.changes.move(tx, locked, { name: 'expire' }, { kind: 'service' });
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { actorOf } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { moverOf } from '../../src/orders/staff/order-actions.service.js';
import { MINUTE } from '../../src/platform/kernel/time.js';
import {
  addWorkingTime,
  type Calendar,
  londonDay,
  startOfLondonDay,
  subtractWorkingTime,
} from '../../src/platform/kernel/working-hours.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { MovesService } from '../../src/orders/moves/moves.service.js';
import type { Move, Mover } from '../../src/orders/moves/move-contents.js';
import { AcceptanceService } from '../../src/orders/offers/acceptance.service.js';
import { BespokeOffer } from '../../src/orders/record/bespoke-offer.entity.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { dayAfter } from '../../src/orders/offers/offer-rules.js';
import { OffersService } from '../../src/orders/offers/offers.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { placingOf } from '../../src/orders/placing/ordering-client.js';
import { PlacingService } from '../../src/orders/placing/placing.service.js';
import { WatchesService } from '../../src/watches/watches.service.js';
import type { DemoClock } from './clock.js';
import { type DealAction, dealStories, type DealStory, watched } from './deal-stories.js';
import { type Cast, CROCKFORD, type DemoClient } from './orders.js';
import type { Chance } from './random.js';

/** Something that happens at one time of the week. */
export interface Happening {
  readonly at: Date;
  readonly isMove: boolean;
  readonly happen: () => Promise<unknown>;
}

interface Deal {
  readonly story: DealStory;
  /** The enquiry; once an offer is accepted, the order. */
  id: string;
}

/** Enquiries, offers, charges and watches, which the services create at the times of the stories. */
export class DemoDeals {
  private readonly transactions;

  private readonly placing;
  private readonly moves;
  private readonly offers;
  private readonly acceptance;
  private readonly expiry;
  private readonly charges;
  private readonly watches;

  constructor(
    service: INestApplicationContext,
    private readonly clock: DemoClock,
    private readonly calendar: Calendar,
    private readonly now: Date,
    private readonly chance: Chance,
    private readonly cast: Cast,
  ) {
    this.transactions = service.get(Transactions, { strict: false });
    this.placing = service.get(PlacingService, { strict: false });
    this.moves = service.get(MovesService, { strict: false });
    this.offers = service.get(OffersService, { strict: false });
    this.acceptance = service.get(AcceptanceService, { strict: false });
    this.expiry = service.get(OfferExpiryService, { strict: false });
    this.charges = service.get(ChargesService, { strict: false });
    this.watches = service.get(WatchesService, { strict: false });
  }

  happenings(): Happening[] {
    return [
      ...dealStories.flatMap((story) => this.happeningsOf({ story, id: '' })),
      ...watched.map(({ client, ago, place }) =>
        this.happening(this.ago(ago), false, () =>
          this.watches.put(place, this.cast.clients[client]!),
        ),
      ),
    ];
  }

  private happeningsOf(deal: Deal): Happening[] {
    const { arrived, steps } = deal.story;
    return [
      this.happening(this.ago(arrived), false, () => this.place(deal)),
      ...steps.map(([ago, action]) => {
        const at = this.ago(ago);
        return this.happening(action.name === 'expire' ? midnightBefore(at) : at, true, () =>
          this.act(deal, action),
        );
      }),
    ];
  }

  private happening(at: Date, isMove: boolean, work: () => Promise<unknown>): Happening {
    const happen = () => {
      this.clock.set(at);
      return work();
    };
    return { at, isMove, happen };
  }

  private ago(minutes: number): Date {
    return subtractWorkingTime(this.now, minutes * MINUTE, this.calendar);
  }

  private async place(deal: Deal): Promise<void> {
    const { asks } = deal.story;
    const placing = placingOf(this.clientOf(deal));
    if ('enquiry' in asks) {
      const { enquiryId } = await this.placing.placeEnquiry(asks.enquiry, undefined, placing);
      await this.become(deal, enquiryId, 'ENQ');
    } else {
      const { orderId } = await this.placing.placeOrder(asks.order, undefined, placing);
      await this.become(deal, orderId, 'ORD');
    }
  }

  private async act(deal: Deal, action: DealAction): Promise<unknown> {
    const owner = this.ownerOf(deal);
    switch (action.name) {
      case 'claim':
      case 'logContact':
      case 'lose':
        return this.move(deal, action);
      case 'supplier': {
        const { note, inMinutes } = action;
        const nextActionAt = addWorkingTime(this.now, inMinutes * MINUTE, this.calendar);
        return this.move(deal, {
          name: 'schedule',
          reason: 'awaiting_supplier',
          note,
          nextActionAt,
        });
      }
      case 'answer': {
        const { forDays } = action;
        const today = this.clock.now();
        const validUntil = forDays === undefined ? undefined : dayAfter(today, forDays);
        const lines = action.offers.map((line) => ({ ...line, validUntil }));
        return this.offers.send(await this.seen(deal), lines, staffMover(owner));
      }
      case 'approve':
        return this.offers.approve(deal.id, 1, staffMover(this.cast.manager));
      case 'accept': {
        const [first] = await this.transactions.read((tx) =>
          tx.find(BespokeOffer, { where: { enquiryId: deal.id }, order: { id: 'ASC' } }),
        );
        const accepted = await this.acceptance.accept(deal.id, first!.id, {}, this.clientOf(deal));
        return this.become(deal, accepted.orderId, 'ORD');
      }
      case 'decline':
        return this.acceptance.decline(deal.id, action.reason, this.clientOf(deal));
      case 'expire':
        return this.expiry.endOffers();
      case 'charge': {
        const { id, version } = await this.row(deal);
        const { amount, note } = action;
        const proposal = { category: 'construction' as const, amount, note };
        return this.moves.run((tx) =>
          this.charges.propose(tx, { id, version }, proposal, actorOf(owner)),
        );
      }
    }
  }

  private async move(deal: Deal, move: Move): Promise<unknown> {
    const mover = moverOf(this.ownerOf(deal));
    return this.moves.make({ ...(await this.seen(deal)), move, mover });
  }

  private async seen(deal: Deal) {
    const { id, version } = await this.row(deal);
    return { orderId: id, version };
  }

  private row({ id }: Deal): Promise<Order> {
    return this.transactions.read((tx) => tx.findOneByOrFail(Order, { id }));
  }

  /** Continues with this enquiry or order, which gets a reference that is the same in each run. */
  private async become(deal: Deal, id: string, prefix: string): Promise<void> {
    deal.id = id;
    const reference = `${prefix}-${this.chance.text(CROCKFORD, 6)}`;
    await this.transactions.run((tx) => tx.update(Order, { id }, { reference }));
  }

  private ownerOf({ story: { owner } }: Deal): StaffCaller {
    return owner === undefined ? this.cast.viewer : this.cast.colleagues[owner]!;
  }

  private clientOf({ story }: Deal): DemoClient {
    return this.cast.clients[story.client]!;
  }
}

function staffMover(caller: StaffCaller): Extract<Mover, { kind: 'staff' }> {
  return { kind: 'staff', id: caller.staffId, name: caller.name, manager: caller.role !== 'agent' };
}

/** A minute after the day began. */
function midnightBefore(at: Date): Date {
  return new Date(startOfLondonDay(londonDay(at)).getTime() + MINUTE);
}

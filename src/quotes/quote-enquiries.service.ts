import { Injectable } from '@nestjs/common';
import { bandwidthInWords } from '../catalogue/content/offer-fields.js';
import { ApiClient } from '../clients/api-client.entity.js';
import { NewOffer } from '../orders/offers/staff-offers.dto.js';
import { StaffOffersService } from '../orders/offers/staff-offers.service.js';
import { BespokeOffer } from '../orders/record/bespoke-offer.entity.js';
import { Order } from '../orders/record/order.entity.js';
import { NotPermitted, OrderMoved } from '../orders/record/orders.errors.js';
import type { FollowUpOrder } from '../orders/staff/follow-up.dto.js';
import type { BulkResult, ContactLog, SeenOrder } from '../orders/staff/moves.dto.js';
import { OrderActionsService } from '../orders/staff/order-actions.service.js';
import { printOrders } from '../orders/staff/print-order.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { oneOf } from '../platform/database/engine/rows.js';
import { Transactions } from '../platform/database/transactions.js';
import { readNumber, validated } from '../platform/http/valid.js';
import { Clock } from '../platform/kernel/clock.js';
import { type FieldError, Problem, ValidationFailed } from '../platform/problems/problem.js';
import { plainAmount } from '../platform/ui/forms/form-spec.js';
import { linesOf } from './record/packed-lines.js';
import { Quote } from './record/quote.entity.js';
import { quoteNamed } from './staff-quotes.service.js';

/** An enquiry of a quote, with the site of its line. */
export interface EnquiryOfQuote {
  readonly lineId: string;
  readonly site: string | null;
  readonly service: string | null;
  readonly enquiry: FollowUpOrder;
  /** An answer that the client does not see before a manager approves it. */
  readonly awaitsApproval: boolean;
}

export interface QuoteEnquiries {
  readonly quote: Pick<Quote, 'id' | 'reference' | 'customer'>;
  readonly client: Pick<ApiClient, 'name' | 'contactName' | 'contactPhone' | 'contactEmail'>;
  readonly rows: readonly EnquiryOfQuote[];
}

/** What a staff member types for each line; `none` is not empty if it cannot be provided. */
export const answerFields = ['price', 'setupPrice', 'leadTimeDays', 'term', 'none'] as const;
export type AnswerField = (typeof answerFields)[number];
export type TypedAnswer = Readonly<Record<AnswerField, string>>;

/** What all answers of one table have in common. */
export type CommonAnswer = Pick<NewOffer, 'basis' | 'currency' | 'validUntil' | 'note'>;

const commonFields: ReadonlySet<string> = new Set<keyof CommonAnswer>([
  ...(['basis', 'currency', 'validUntil', 'note'] as const),
]);

export interface AnsweredLine {
  readonly row: EnquiryOfQuote;
  readonly outcome: 'sent' | 'awaitsApproval' | 'ended' | 'failed';
  /** Why it failed. */
  readonly problem: string;
}

export function canAnswer(
  { enquiry, awaitsApproval }: EnquiryOfQuote,
  { staffId }: StaffCaller,
): boolean {
  return enquiry.state === 'in_progress' && enquiry.ownerId === staffId && !awaitsApproval;
}

/** The enquiries of one quote, for staff, who claim, call about and answer them together. */
@Injectable()
export class QuoteEnquiriesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly actions: OrderActionsService,
    private readonly offers: StaffOffersService,
    private readonly clock: Clock,
  ) {}

  /** @param named reference or id of the quote @throws {QuoteNotFound} */
  async of(named: string): Promise<QuoteEnquiries> {
    const { quote, client, printed, awaited } = await this.transactions.read(async (tx) => {
      const found = await quoteNamed(tx, named);
      const orders = await tx.find(Order, {
        where: { quoteId: found.id, kind: 'enquiry' },
        order: { quoteLine: 'ASC' },
      });
      const awaiting = await tx.find(BespokeOffer, {
        select: { enquiryId: true },
        where: { enquiryId: oneOf(orders.map(({ id }) => id)), state: 'awaitingApproval' },
      });
      return {
        awaited: new Set(awaiting.map(({ enquiryId }) => enquiryId)),
        quote: found,
        client: await tx.findOneByOrFail(ApiClient, { id: found.clientId }),
        printed: await printOrders(tx, orders, this.clock.now()),
      };
    });
    const lines = await linesOf(quote);
    const rows = printed.map((enquiry): EnquiryOfQuote => {
      const lineId = enquiry.lineId!;
      const { site, wanted } = lines[Number(lineId) - 1]!;
      const awaitsApproval = awaited.has(enquiry.orderId);
      return { lineId, site, service: wanted?.service ?? null, enquiry, awaitsApproval };
    });
    return { quote, client, rows };
  }

  /** Claims those that wait. */
  claim({ rows }: QuoteEnquiries, viewer: StaffCaller): Promise<BulkResult> {
    const waiting = rows.filter(({ enquiry }) => enquiry.state === 'waiting');
    return this.actions.moveMany(waiting.map(seen), { name: 'claim' }, viewer);
  }

  /** Records one call about all that the viewer works on. */
  contact(
    { rows }: QuoteEnquiries,
    { channel, result, note }: Pick<ContactLog, 'channel' | 'result' | 'note'>,
    viewer: StaffCaller,
  ): Promise<BulkResult> {
    const own = rows.filter((row) => canAnswer(row, viewer));
    const move = {
      name: 'logContact',
      channel,
      result,
      ...(note !== undefined && { note }),
    } as const;
    return this.actions.moveMany(own.map(seen), move, viewer);
  }

  /**
   * Sends an offer for each line with a price, each with its own approval, and ends those that cannot be provided;
   * a fault of one stops all.
   * @throws {ValidationFailed} with pointers such as `/3.price`, or `/validUntil` of what all answers have in common
   */
  async answer(
    { rows }: QuoteEnquiries,
    typed: ReadonlyMap<string, TypedAnswer>,
    common: CommonAnswer,
    viewer: StaffCaller,
  ): Promise<readonly AnsweredLine[]> {
    const own = rows.filter((one) => canAnswer(one, viewer));
    const ended = own.filter(({ lineId }) => typed.get(lineId)?.none);
    const answers: { row: EnquiryOfQuote; offer: NewOffer }[] = [];
    const errors: FieldError[] = [];
    for (const row of own) {
      const { lineId } = row;
      const texts = typed.get(lineId);
      if (!texts || texts.price === '') continue;
      if (texts.none !== '') {
        const detail = 'Enter a price or choose that it cannot be provided, not both.';
        errors.push({ pointer: `/${lineId}.none`, code: 'not-allowed', detail });
        continue;
      }
      try {
        const offer = await validated(NewOffer, offerOf(row, texts, common));
        this.offers.check([offer]);
        answers.push({ row, offer });
      } catch (error) {
        if (!(error instanceof ValidationFailed)) throw error;
        for (const one of error.errors) {
          const field = one.pointer.split('/').at(-1)!;
          const pointer = commonFields.has(field) ? `/${field}` : `/${lineId}.${field}`;
          if (!errors.some((other) => other.pointer === pointer)) errors.push({ ...one, pointer });
        }
      }
    }
    if (errors.length > 0) throw new ValidationFailed(errors);
    const answered: AnsweredLine[] = [];
    for (const { row, offer } of answers) answered.push(await this.send(row, offer, viewer));
    const lose = { name: 'lose', reason: 'not_serviceable' } as const;
    const { results } = await this.actions.moveMany(ended.map(seen), lose, viewer);
    for (const [i, { moved, problem }] of results.entries()) {
      const outcome = moved ? 'ended' : 'failed';
      answered.push({ row: ended[i]!, outcome, problem: problem?.detail ?? '' });
    }
    return answered;
  }

  private async send(
    row: EnquiryOfQuote,
    offer: NewOffer,
    viewer: StaffCaller,
  ): Promise<AnsweredLine> {
    const { orderId, version } = row.enquiry;
    try {
      const isAwaited = await this.offers.send(orderId, { version, offers: [offer] }, viewer);
      return { row, outcome: isAwaited ? 'awaitsApproval' : 'sent', problem: '' };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const problem = error.errors[0]?.detail ?? error.detail;
      return { row, outcome: 'failed', problem };
    }
  }

  /**
   * Takes back what the viewer has just answered.
   * @param versions of the enquiries after it, by line
   * @returns whether all could be taken back
   */
  async undo(
    { rows }: QuoteEnquiries,
    versions: ReadonlyMap<string, number>,
    viewer: StaffCaller,
  ): Promise<boolean> {
    let isWhole = true;
    for (const { lineId, enquiry } of rows) {
      const version = versions.get(lineId);
      if (version === undefined) continue;
      await this.actions
        .undo({ orderId: enquiry.orderId, version }, viewer)
        .catch((error: unknown) => {
          if (!(error instanceof OrderMoved || error instanceof NotPermitted)) throw error;
          isWhole = false;
        });
    }
    return isWhole;
  }
}

function seen({ enquiry: { orderId, version } }: EnquiryOfQuote): SeenOrder {
  return { orderId, version };
}

function offerOf(
  { enquiry, service }: EnquiryOfQuote,
  { price, setupPrice, leadTimeDays, term }: TypedAnswer,
  common: CommonAnswer,
): object {
  const bandwidth = enquiry.wanted?.bandwidth ?? 0;
  return {
    ...common,
    name: `${bandwidthInWords(bandwidth)} ${service ?? 'connection'}`,
    bandwidthProvisioned: bandwidth,
    term: numberIn(term),
    price: numberIn(price),
    leadTimeDays: numberIn(leadTimeDays),
    ...(setupPrice !== '' && { setupPrice: numberIn(setupPrice) }),
  };
}

/** A text that is no number stays, for the rules to refuse. */
function numberIn(text: string): number | string {
  return readNumber(plainAmount(text.replaceAll(/[£€$\s]/g, '')));
}

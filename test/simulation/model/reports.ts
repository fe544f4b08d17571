/** What reports count: the whole history, from its first day to today. */
import { chargeStateOf } from './charges.js';
import { isOpen, type Model, type RequestModel } from './model.js';
import { firstContactDueAt, warnedAt } from './moves.js';
import { usesOf } from './quotes.js';

type Row = Readonly<Record<string, unknown>>;

const countOf = <T>(rows: readonly T[], holds: (row: T) => boolean) => rows.filter(holds).length;
const inPence = (price: number) => Math.round(price * 100);

/** In pounds; nothing where there is none. */
function amountsOf(pence: readonly number[]): Row[] {
  const sum = pence.reduce((total, one) => total + one, 0);
  return sum === 0 ? [] : [{ currency: 'GBP', amount: sum / 100 }];
}

const monthly = (orders: readonly RequestModel[]) =>
  amountsOf(orders.map(({ confirmed, terms }) => inPence((confirmed ?? terms!).price)));

/** By the first column of each table, without rows of which the documents do not say the order. */
export function reportsOf(model: Model): Readonly<Record<string, Record<string, Row[]>>> {
  const { clients, now, quotes, requests } = model;
  const orders = requests.filter(({ kind }) => kind === 'order');
  const enquiries = requests.filter(({ kind }) => kind === 'enquiry');
  const late = (one: RequestModel) => firstContactDueAt(one) <= now;
  const nearlyLate = (one: RequestModel) => !late(one) && warnedAt(one) <= now;
  const uncontacted = orders.filter((one) => isOpen(one) && one.firstContactAt === null);
  const products = Map.groupBy(orders, ({ terms }) => terms!.productCode);
  const charges = requests.flatMap((request) =>
    request.charges.map((charge) => ({
      ...charge,
      now: chargeStateOf(request, charge, now),
    })),
  );
  const seen = enquiries.map(({ offers }) =>
    offers.filter(({ wasOpen }) => wasOpen).map(({ terms }) => inPence(terms.price)),
  );
  const won = enquiries.flatMap(({ offers }) =>
    offers.flatMap(({ state, terms }) => (state === 'accepted' ? [inPence(terms.price)] : [])),
  );
  const inState = (...states: readonly string[]) =>
    countOf(enquiries, ({ state }) => states.includes(state));
  const expired = countOf(enquiries, ({ closeReason }) => closeReason === 'offer_expired');
  return {
    overview: {
      age: [
        {
          group: 'contacted',
          orders: countOf(orders, (one) => isOpen(one) && one.firstContactAt !== null),
        },
        {
          group: 'in time',
          orders: countOf(uncontacted, (one) => !late(one) && !nearlyLate(one)),
        },
        { group: 'nearly late', orders: countOf(uncontacted, nearlyLate) },
        { group: 'enquiry', orders: countOf(enquiries, isOpen) },
      ],
    },
    demand: {
      outcomes: [...products].map(([productCode, of]) => ({
        productCode,
        received: of.length,
        open: countOf(of, isOpen),
        ...Object.fromEntries(
          ['won', 'lost', 'cancelled', 'duplicate'].map((state) => [
            state,
            countOf(of, (one) => one.state === state),
          ]),
        ),
        amounts: monthly(of),
        wonAmounts: monthly(of.filter(({ state }) => state === 'won')),
      })),
    },
    deals: {
      enquiries:
        enquiries.length === 0
          ? []
          : [
              {
                area: null,
                received: enquiries.length,
                offered: countOf(seen, ({ length }) => length > 0),
                won: inState('won'),
                lost: inState('lost') - expired,
                expired,
                cancelled: inState('cancelled', 'duplicate'),
                offeredAmounts: amountsOf(
                  seen.flatMap((prices) => (prices.length > 0 ? [Math.max(...prices)] : [])),
                ),
                wonAmounts: amountsOf(won),
              },
            ],
      quotes: clients.flatMap(({ id: clientId }, client) => {
        const own = [...quotes.entries()].filter(
          ([, one]) => one.client === client && one.sentAt < Infinity,
        );
        const lines = own.flatMap(([quote, one]) =>
          one.lines.map(({ terms }, line) => ({ terms, ...usesOf(model, quote, line) })),
        );
        if (own.length === 0) return [];
        return {
          clientId,
          quotes: own.length,
          lines: lines.length,
          priced: countOf(lines, ({ terms }) => terms !== null),
          enquired: countOf(lines, ({ enquiry }) => enquiry >= 0),
          ordered: countOf(lines, ({ order }) => order >= 0),
        };
      }),
      charges: [...Map.groupBy(charges, ({ category }) => category)].map(([category, of]) => ({
        category,
        proposed: of.length,
        ...Object.fromEntries(
          ['accepted', 'rejected', 'lapsed', 'withdrawn', 'awaitingResponse'].map((state) => [
            state,
            countOf(of, (one) => one.now === state),
          ]),
        ),
        amounts: amountsOf(of.map(({ amount }) => amount)),
        acceptedAmounts: amountsOf(
          of.flatMap((one) => (one.now === 'accepted' ? [one.amount] : [])),
        ),
      })),
    },
  };
}

/** Open requests by state, as the metrics count them. */
export function openByState({ requests }: Model): Readonly<Record<string, number>> {
  const states = ['waiting', 'in_progress', 'scheduled', 'offered'];
  return Object.fromEntries(
    states.map((state) => [state, countOf(requests, (one) => one.state === state)]),
  );
}

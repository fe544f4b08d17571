/** What the service says, compared with what the model expects. */
import { type CatalogueModel, changesBetween } from './model/catalogue.js';
import { waitOf } from './model/deliveries.js';
import {
  AGENT,
  type Expected,
  isOpen,
  isTaken,
  MANAGER,
  type Model,
  type RequestModel,
} from './model/model.js';
import { firstContactDueAt, isUncontacted, warnedAt } from './model/moves.js';
import { offerStateOf } from './model/offers.js';
import { openByState, reportsOf } from './model/reports.js';
import { dayOf } from './model/time.js';
import { entriesOf, staffDetail, staffView } from './model/views.js';
import type { Received } from './receiver.js';
import { type Answer, BY_PAGE } from './simulated-service.js';

type Tables = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
export type Ids = Readonly<Record<string, string>>;

/** What an answer says that was not expected. */
export function differencesOfAnswer(expected: Expected, answer: Answer | null): string[] {
  if (!answer) return ['There is no answer.'];
  if (answer.body === BY_PAGE) {
    const isRight = (expected.code === undefined) === answer.status < 300 && answer.status < 500;
    return isRight ? [] : [`expected ${JSON.stringify(expected)}, the page says ${answer.status}`];
  }
  const { status, code, orCode = [], body } = expected;
  const said = answer.body as Readonly<Record<string, unknown>>;
  if (code !== undefined) {
    const isRefused = [code, ...orCode].includes(String(said.code));
    return isRefused && (status === 0 || status === answer.status || orCode.length > 0)
      ? departures(body ?? {}, said)
      : [
          `expected ${status} ${[code, ...orCode].join(' or ')}, got ${answer.status} ${answer.text}`,
        ];
  }
  if (status !== answer.status) return [`expected ${status}, got ${answer.status} ${answer.text}`];
  return [...(body ? departures(body, said) : []), ...(expected.also?.(said) ?? [])];
}

/** Where the service differs from what is expected. It may say more. */
export function departures(expected: unknown, actual: unknown, at = ''): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is ${print(actual)}, not a list`];
    const length =
      expected.length === actual.length
        ? []
        : [
            `${at} has ${actual.length}, not ${expected.length}: ${print(actual)} for ${print(expected)}`,
          ];
    return length.length > 0
      ? length
      : expected.flatMap((one, i) => departures(one, actual[i], `${at}/${i}`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) {
      return [`${at} is ${print(actual)}, not ${print(expected)}`];
    }
    return Object.entries(expected).flatMap(([name, value]) =>
      departures(value, (actual as Record<string, unknown>)[name], `${at}/${name}`),
    );
  }
  return Object.is(expected, actual) ? [] : [`${at} is ${print(actual)}, not ${print(expected)}`];
}

/** Those that are left when each of `others` has taken one. */
export function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...texts];
  for (const other of others) if (left.includes(other)) left.splice(left.indexOf(other), 1);
  return left.toSorted();
}

/** Of a list in any order. @param where what is compared, in words */
export function differencesOfSets(
  expected: readonly string[],
  actual: readonly string[],
  where: string,
): string[] {
  return departures(expected.toSorted(), actual.toSorted()).map((one) => `${where}: ${one}`);
}

const print = (value: unknown) => JSON.stringify(value);

/** All permutations of 0 to `count` - 1. */
export function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
  );
}

/** All that staff read about a request. */
export function differencesOfStaff(model: Model, number: number, read: unknown): string[] {
  const { order, timeline, ...others } = read as { order: unknown; timeline: unknown };
  const detail = Object.entries(others).map(([name, value]) => {
    // The newest other requests, whose order is not said where they came at once.
    const ids = /others|Duplicates/.test(name) && (value as Ids[]).map((one) => one.orderId!);
    return [name, ids ? ids.toSorted() : value];
  });
  const request = model.requests[number]!;
  return [
    ...departures(staffView(model, request), order).map((one) => `staff: ${one}`),
    ...departures(staffDetail(model, number), Object.fromEntries(detail)),
    ...departures(entriesOf(request), timeline).map((one) => `timeline: ${one}`),
  ];
}

type Read = (path: string, token: string) => Promise<unknown>;

/** Each list of a client has its requests, and none of another one. */
export async function listsOfClient(model: Model, client: number, read: Read): Promise<string[]> {
  const { token, name } = model.clients[client]!;
  const differences: string[] = [];
  for (const kind of ['order', 'enquiry'] as const) {
    const listed: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await read(`/product-availability/${kind}?limit=7${query}`, token);
      const { items, nextCursor } = page as { items: Ids[]; nextCursor: string | null };
      listed.push(...items.map((item) => item[`${kind}Id`]!));
      cursor = nextCursor;
    } while (cursor !== null);
    const own = model.requests.filter((one) => one.client === client && one.kind === kind);
    const expected = own.map(({ id }) => id);
    differences.push(...differencesOfSets(expected, listed, `the list of each ${kind} of ${name}`));
  }
  return differences;
}

/** The lists of staff, their totals and their export have the same orders. */
export async function listsOfStaff(
  { requests, members, now }: Model,
  read: Read,
): Promise<string[]> {
  const { token } = members[AGENT]!;
  const views: Readonly<Record<string, (request: RequestModel) => boolean>> = {
    all: () => true,
    waiting: ({ state }) => state === 'waiting',
    mine: (one) => one.owner === 0 && isTaken(one),
    open: isOpen,
    closed: (one) => !isOpen(one),
    due: ({ nextActionAt }) => nextActionAt !== null && nextActionAt <= now,
    late: (one) => isUncontacted(one) && firstContactDueAt(one) <= now,
    'nearly-late': (one) =>
      isUncontacted(one) && firstContactDueAt(one) > now && warnedAt(one) <= now,
    'no-next-step': (one) => one.state === 'in_progress' && one.firstContactAt !== null,
    'waiting-for-client': (one) => one.state === 'won' && waitOf(one.delivery)?.party === 'client',
    'cancellation-requests': ({ state, delivery }) => state === 'won' && delivery?.askedAt != null,
    approvals: (one) =>
      one.offers.some((offer) => offerStateOf(one, offer, now) === 'awaitingApproval'),
  };
  const differences: string[] = [];
  for (const [view, holds] of Object.entries(views)) {
    const expected = requests.filter(holds).map(({ id }) => id);
    const path = `/follow-up/orders?view=${view}&limit=100`;
    const { items, total } = (await read(path, token)) as { items: Ids[]; total: number };
    const listed = items.map(({ orderId }) => orderId!);
    const csv = await read(`/follow-up/orders.csv?view=${view}`, token);
    const rows = [...String(csv).matchAll(/^[0-9a-f-]{36}(?=,)/gm)].map(([id]) => id);
    differences.push(
      ...departures(expected.toSorted(), listed.toSorted(), `view ${view}`),
      ...departures(expected.toSorted(), rows.toSorted(), `export of ${view}`),
      ...departures(expected.length, total, `total of ${view}`),
    );
  }
  return differences;
}

interface ListedChanges {
  readonly name: string;
  readonly count: number;
  readonly kinds: readonly { readonly change: string; readonly count: number }[];
  readonly changes: readonly Readonly<Record<string, string>>[];
}

/** What staff read of the difference of two versions. */
export function differencesOfVersions(
  before: CatalogueModel,
  after: CatalogueModel,
  read: unknown,
): string[] {
  const { lists, byArea } = (read as { diff: { lists: ListedChanges[]; byArea: object[] } }).diff;
  const listOf = (name: string) => lists.find((one) => one.name === name)!;
  const kindsOf = (name: string) =>
    Object.fromEntries(listOf(name).kinds.map(({ change, count }) => [change, count]));
  const { prices, postcodes, products } = changesBetween(before, after);
  const listed = listOf('prices').changes.filter(
    ({ what, priceList, dates }) => what === 'price' && priceList === 'standard' && dates === '',
  );
  const shown = listed.map((one) => `${one.subject} ${one.zone}: ${one.before} to ${one.after}`);
  const inAreas = byArea.flatMap((area) =>
    Object.values(area).filter((value) => typeof value === 'number'),
  );
  const total = Object.values(postcodes).reduce((sum, count) => sum + count, 0);
  const short = lists.filter(({ count, changes }) => count !== changes.length);
  return [
    ...differencesOfSets(prices, shown, 'prices that changed'),
    ...departures([postcodes, products], [kindsOf('postcodes'), kindsOf('products')], 'kinds'),
    ...departures(
      total,
      inAreas.reduce((sum, count) => sum + count, 0),
      'by area',
    ),
    ...short.map(({ name, count }) => `the list ${name} does not have ${count} changes`),
  ];
}

/** Each event has reached its client, once by its id, and nothing else has. */
export function messagesOf(model: Model, client: number, messages: Iterable<Received>): string[] {
  const { hook, name } = model.clients[client]!;
  const received = [...messages].flatMap(({ path, body }) => {
    const { orderId, enquiryId, chargeId, chargeState, state } = body.data;
    // Changes of a delivery, and of a quote, are reported together.
    if (path !== hook || ['order.delivery-changed', 'quote.updated'].includes(body.type)) return [];
    if (body.type === 'watch.served') {
      return (body.data.places as { watchId: string }[]).map(({ watchId }) => `served ${watchId}`);
    }
    return [[body.type, orderId ?? enquiryId, state, chargeId, chargeState].join(' ')];
  });
  const served = model.served.flatMap((number) => {
    const watch = model.watches[number]!;
    return watch.client === client ? [`served ${watch.id}`] : [];
  });
  const expected = model.events.flatMap((event) => {
    if (event.client !== client) return [];
    const request = model.requests[event.request]!;
    const chargeId = event.charge === null ? '' : request.charges[event.charge]!.id;
    return [[event.type, request.id, event.state, chargeId, event.chargeState].join(' ')];
  });
  return [
    ...without([...expected, ...served], received).map((one) => `${name} has not received ${one}`),
    ...without(received, [...expected, ...served]).map(
      (one) => `${name} should not have received ${one}`,
    ),
  ];
}

/** Words that were erased, and are in the database all the same. */
export function erasedIn({ erased, requests }: Model, everything: string): string[] {
  // The order of an accepted offer has the contact of its enquiry.
  const kept = new Set(requests.flatMap(({ words }) => words));
  return [...new Set(erased)]
    .filter((word) => !kept.has(word) && everything.includes(word))
    .map((word) => `the erased ${word} is at ${whereIs(word, everything)}`);
}

const whereIs = (word: string, everything: string) => {
  const at = everything.indexOf(word);
  return JSON.stringify(everything.slice(Math.max(0, at - 200), at + 100));
};

/** Reports and metrics count what the lists have. */
export async function countsOfStaff(
  model: Model,
  read: (path: string, token: string) => Promise<unknown>,
  metrics: string,
): Promise<string[]> {
  const { token } = model.members[MANAGER]!;
  const starts = [
    ...model.requests.map(({ receivedAt }) => receivedAt),
    ...model.quotes.map(({ at }) => at),
  ];
  const days = `from=${dayOf(Math.min(model.now, ...starts))}&to=${dayOf(model.now)}`;
  const differences: string[] = [];
  for (const [report, tables] of Object.entries(reportsOf(model))) {
    const said = (await read(`/follow-up/reports/${report}?${days}`, token)) as Tables;
    for (const [table, rows] of Object.entries(tables)) {
      const [key = ''] = Object.keys(rows[0] ?? {});
      const byKey = Map.groupBy(said[table]!, (row) => row[key]);
      for (const row of rows) {
        const found = byKey.get(row[key])?.[0];
        differences.push(...departures(row, found, `${table} of ${String(row[key])}`));
      }
      const isWhole = !['age', 'enquiries'].includes(table);
      if (isWhole) differences.push(...departures(rows.length, said[table]!.length, table));
    }
  }
  // It gives no numbers while its database has not answered for some seconds of this machine.
  const isKnown = metrics.includes('availability_orders_open{');
  for (const [state, count] of isKnown ? Object.entries(openByState(model)) : []) {
    const line = new RegExp(`availability_orders_open\\{state="${state}"\\} (\\d+)`);
    differences.push(...departures(count, Number(line.exec(metrics)?.[1]), `metric of ${state}`));
  }
  return differences;
}

/** What the service says, compared with what the model expects. */
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
import type { Received } from './receiver.js';
import type { Answer } from './simulated-service.js';

type Tables = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
export type Ids = Readonly<Record<string, string>>;

/** What an answer says that was not expected. */
export function differencesOfAnswer(expected: Expected, answer: Answer | null): string[] {
  if (!answer) return ['There is no answer.'];
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
  return departures(body ?? {}, said);
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

const print = (value: unknown) => JSON.stringify(value);

/** All permutations of 0 to `count` - 1. */
export function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
  );
}

/** The lists of staff, their totals and their export have the same orders. */
export async function listsOfStaff(
  { requests, members, now }: Model,
  read: (path: string, token: string) => Promise<unknown>,
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
  for (const [state, count] of Object.entries(openByState(model))) {
    const line = new RegExp(`availability_orders_open\\{state="${state}"\\} (\\d+)`);
    differences.push(...departures(count, Number(line.exec(metrics)?.[1]), `metric of ${state}`));
  }
  return differences;
}

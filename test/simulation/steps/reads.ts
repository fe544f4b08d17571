import { differencesOfSets, differencesOfVersions } from '../comparison.js';
import { type Expected, type Model, publicStateOf, type RequestModel } from '../model/model.js';
import { waitOf } from '../model/deliveries.js';
import { makeCheck } from '../model/placing.js';
import { watchView } from '../model/watches.js';
import { quoteStateOf, quoteView } from '../model/quotes.js';
import { DAY } from '../model/time.js';
import type { Random } from '../random.js';
import { places, type Action, type StepKind } from './step.js';

const base = '/product-availability';

type Filter = (request: RequestModel) => boolean;

/** Some of the filters, with the requests that each of them leaves. */
function drawFilters(
  random: Random,
  filters: Readonly<Record<string, () => readonly [value: unknown, holds: Filter] | null>>,
): { readonly query: string; readonly holds: Filter } {
  const drawn = Object.entries(filters).flatMap(([name, draw]) => {
    const one = random.chance(30) ? draw() : null;
    return one ? [[name, ...one] as const] : [];
  });
  const query = drawn.map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`);
  return { query: query.join(''), holds: (one) => drawn.every(([, , holds]) => holds(one)) };
}

/** What is read. */
interface About {
  readonly words: string;
  readonly path: string;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function reading({ words, ...sent }: About, expect: (model: Model) => Expected): Action {
  return { words, sent: { method: 'GET', ...sent }, expect, again: 'alone' };
}

/** What is answered, with what is wrong with it. */
const answered = (also: (body: unknown) => readonly string[]): Expected => ({ status: 200, also });

/** A list of exactly these, in any order. @param member of an item: its id */
function listing(
  about: About,
  member: string,
  expected: (model: Model) => readonly { readonly id: string }[],
): Action {
  return reading({ ...about, words: `${about.words} (${about.path})` }, (now) =>
    answered((body) => {
      const { items } = body as { items: Record<string, string>[] };
      return differencesOfSets(
        expected(now).map(({ id }) => id),
        items.map((item) => item[member]!),
        about.path,
      );
    }),
  );
}

const states = ['acknowledged', 'inProgress', 'accepted', 'cancelled', 'closed', 'offered'];

/** What clients and staff look up. It changes nothing but the checks that are kept. */
export const readSteps: readonly StepKind[] = [
  {
    name: 'list of a client',
    weight: 4,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const kind = random.pick(['order', 'enquiry'] as const);
      const { query, holds } = drawFilters(random, {
        reference: () => {
          const reference = `PO-${random.below(6)}`;
          return [reference, (one) => one.facts.reference === reference];
        },
        state: () => {
          const state = random.pick(kind === 'order' ? states.slice(0, 5) : states.slice(0, 2));
          return [state, (one) => publicStateOf(one) === state];
        },
        updatedSince: () => [new Date(model.now + 1).toISOString(), () => false],
        ...(kind === 'order' && {
          waitingFor: () => {
            const party = random.pick(['client', 'operator', 'thirdParty'] as const);
            const waits = ({ state, delivery }: RequestModel) =>
              state === 'won' && waitOf(delivery)?.party === party;
            return [party, waits];
          },
        }),
      });
      const path = `${base}/${kind}?limit=100${query}`;
      return listing({ words: `${name} lists`, path, token }, `${kind}Id`, ({ requests }) =>
        requests.filter((one) => one.client === client && one.kind === kind && holds(one)),
      );
    },
  },
  {
    name: 'list of staff',
    weight: 4,
    draw(model, random) {
      const by = random.below(model.members.length);
      const { name, token } = model.members[by]!;
      const { query, holds } = drawFilters(random, {
        kind: () => {
          const kind = random.pick(['order', 'enquiry'] as const);
          return [kind, (one) => one.kind === kind];
        },
        state: () => {
          const some = ['waiting', 'in_progress', 'offered', 'won', 'lost', 'cancelled'];
          const left = some.filter(() => random.chance(50));
          return left.length === 0 ? null : [left.join(), ({ state }) => left.includes(state)];
        },
        owner: () =>
          random.chance(50)
            ? ['me', ({ owner }) => owner === by]
            : ['none', ({ owner }) => owner === null],
        client: () => {
          const client = random.below(model.clients.length);
          return [model.clients[client]!.id, (one) => one.client === client];
        },
        product: () => {
          const { code } = random.pick(model.catalogue.products);
          return [code, ({ terms }) => terms?.productCode === code];
        },
        term: () => {
          const term = random.pick([12, 36]);
          return [term, ({ terms, wanted }) => (terms ?? wanted)?.term === term];
        },
        basis: () => {
          const basis = random.pick(['firm', 'subjectToSurvey', 'indicative']);
          return [basis, ({ terms }) => terms?.basis === basis];
        },
        area: () => {
          const area = random.pick(['EC', 'SW', 'N', 'M']);
          return [area, ({ postcode }) => /^[A-Z]+/.exec(postcode)![0] === area];
        },
        duplicates: () => {
          const which = random.pick(['only', 'none']);
          return [which, ({ twin }) => (twin !== null) === (which === 'only')];
        },
        receivedFrom: () => {
          const at = random.maybe(model.requests)?.receivedAt;
          if (at === undefined) return null;
          return [new Date(at).toISOString(), ({ receivedAt }) => receivedAt >= at];
        },
      });
      const path = `/follow-up/orders?view=all&limit=100${query}`;
      return listing({ words: `${name} lists`, path, token }, 'orderId', ({ requests }) =>
        requests.filter(holds),
      );
    },
  },
  {
    name: 'search',
    weight: 2,
    draw(model, random) {
      const { name, token } = random.pick(model.members);
      const won = model.requests.filter(({ externalReference }) => externalReference !== null);
      const one = random.maybe(random.chance(60) ? won : model.requests);
      if (!one) return null;
      const words = [one.externalReference, one.facts.reference, one.postcode, one.id];
      const word = random.pick(words.filter((text) => text !== null));
      const path = `/follow-up/orders?view=all&limit=100&q=${encodeURIComponent(word)}`;
      return reading({ words: `${name} searches ${word}`, path, token }, (now) =>
        answered((body) => {
          const { items } = body as { items: { orderId: string }[] };
          const has = new Set(items.map(({ orderId }) => orderId));
          const missing = now.requests.filter(
            ({ externalReference, facts, postcode, id }) =>
              [externalReference, facts.reference, postcode, id].includes(word) && !has.has(id),
          );
          return missing.map(({ id }) => `the search for ${word} does not find ${id}`);
        }),
      );
    },
  },
  {
    name: 'check again',
    weight: 2,
    draw(model, random) {
      const check = random.maybe(model.checks);
      if (!check) return null;
      const client = random.chance(85) ? check.client : random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const path = `${base}/check/${check.id}`;
      return reading({ words: `${name} reads the check ${check.id}`, path, token }, (now) =>
        client !== check.client || now.now - check.at >= 60 * DAY
          ? { status: 404, code: 'not-found' }
          : { status: 200, body: { id: check.id, availableProducts: check.answer.offers } },
      );
    },
  },
  {
    name: 'check of some products',
    weight: 3,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const postcode = random.pick(places);
      const bandwidth = random.pick([null, 0.1, 1, 2]);
      const term = random.pick([null, 12, 36]);
      const basis = random.pick([null, null, 'firm', 'indicative']);
      const service = random.pick([null, null, 'Internet', 'ETHERNET']);
      const filters = Object.entries({ bandwidth, term, basis, service }).flatMap(
        ([filter, value]) => (value === null ? [] : `${filter}=${value}`),
      );
      const path = `${base}/postcode/${encodeURIComponent(postcode)}?${filters.join('&')}`;
      const words = `${name} checks ${postcode} for ${filters.join()}`;
      return reading({ words, path, token }, (now) => {
        const { expected, check } = makeCheck(now, client, postcode);
        const availableProducts = check.answer.offers.filter(
          (one) =>
            (bandwidth === null || one.bandwidthProvisioned >= bandwidth) &&
            (term === null || one.term === term) &&
            (basis === null || one.basis === basis) &&
            (service === null || one.service?.toLowerCase() === service.toLowerCase()),
        );
        return { ...expected, body: { ...expected.body, availableProducts } };
      });
    },
  },
  {
    name: 'checks of several',
    weight: 2,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const some = Array.from({ length: 1 + random.below(4) }, () =>
        random.pick([...places, 'nowhere']),
      );
      return {
        words: `${name} checks ${some.join()} at once`,
        sent: { method: 'POST', path: `${base}/postcodes`, token, body: { postcodes: some } },
        expect: (now) => {
          const checks = some.map((one) =>
            one === 'nowhere'
              ? { body: { code: 'invalid-postcode' }, learn: () => undefined }
              : makeCheck(now, client, one).expected,
          );
          return {
            status: 200,
            body: { results: checks.map(({ body }) => body) },
            learn: ({ results }) => {
              for (const [i, { learn }] of checks.entries())
                learn?.((results as Record<string, unknown>[])[i]!);
            },
          };
        },
        again: 'alone',
      };
    },
  },
  {
    name: 'watches',
    weight: 2,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const state = random.pick(['open', 'served', 'ended']);
      const path = `${base}/watch?limit=100&state=${state}`;
      const words = `${name} lists its ${state} watches`;
      return listing({ words, path, token }, 'watchId', ({ watches }) =>
        watches.filter(
          (one) => one.client === client && !one.isDeleted && watchView(one).state === state,
        ),
      );
    },
  },
  {
    name: 'comparison of versions',
    weight: 3,
    draw(model, random) {
      const [from, to] = [random.pick(model.published), random.pick(model.published.slice(-3))];
      if (from.version >= to.version) return null;
      const path = `/catalogue/versions/${to.version}/diff?from=${from.version}`;
      const words = `the operator compares the versions ${from.version} and ${to.version}`;
      return reading({ words, path, token: model.commercial.token }, () =>
        answered((body) => differencesOfVersions(from.catalogue, to.catalogue, body)),
      );
    },
  },
  {
    name: 'quote as CSV',
    weight: 2,
    draw(model, random) {
      const seen = (number: number) => quoteStateOf(model, model.quotes[number]!) !== null;
      const number = random.maybe([...model.quotes.keys()].filter(seen));
      if (number === undefined) return null;
      const { client, id } = model.quotes[number]!;
      const { name, token } = model.clients[client]!;
      const about = {
        words: `${name} reads the quote ${number} as CSV`,
        path: `${base}/quote/${id}`,
        token,
        headers: { Accept: 'text/csv' },
      };
      return reading(about, (now) =>
        answered((body) => {
          const [header, ...rows] = String(body).trim().split('\r\n');
          const names = header!.split(',');
          const cells = rows.map((row) => row.split(','));
          const lines = quoteView(now, number)!.lines as {
            lineId: string;
            postcode: string;
            state: string;
          }[];
          return differencesOfSets(
            lines.map(({ lineId, postcode, state }) => `${lineId} ${postcode} ${state}`),
            cells.map((row) =>
              ['line', 'postcode', 'state'].map((one) => row[names.indexOf(one)]).join(' '),
            ),
            `CSV of quote ${number}`,
          );
        }),
      );
    },
  },
];

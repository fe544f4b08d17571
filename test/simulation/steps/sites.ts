import { offerStateOf } from '../model/offers.js';
import { askForLines, copyQuote, makeQuote, orderLines } from '../model/quotes.js';
import { deleteWatch, putWatch } from '../model/watches.js';
import type { Model, WantedModel } from '../model/model.js';
import type { Random } from '../random.js';
import { keyed, places, type StepKind } from './step.js';

const base = '/product-availability';

/** A quote, mostly a recent one, and a client, mostly its own. */
function pickQuote({ quotes, clients }: Model, random: Random) {
  const quote = random.maybe([...quotes.keys()].slice(-3));
  if (quote === undefined) return null;
  const { client: own, id, lines } = quotes[quote]!;
  const client = random.chance(96) ? own : random.below(clients.length);
  const some = [...lines.keys()].filter(() => random.chance(50));
  const { name, token } = clients[client]!;
  return { quote, client, id, some, name, token };
}

/** The place of an offer to a line that is drawn, mostly of an open one. */
function drawOffer(model: Model, random: Random, quote: number, line: number): number | undefined {
  const enquiry = model.requests.find(
    (one) => one.kind === 'enquiry' && one.line?.quote === quote && one.line.line === line,
  );
  const seen = [...(enquiry?.offers.entries() ?? [])].filter(([, { wasOpen }]) => wasOpen);
  const open = seen.filter(([, one]) => offerStateOf(enquiry!, one, model.now) === 'open');
  return random.maybe((random.chance(90) ? open : seen).map(([place]) => place));
}

type Wanted = Partial<WantedModel>;

/** What is left out, or null, is as the whole quote or its query says. */
const drawWanted = (random: Random): Wanted => ({
  bandwidth: random.pick([0.1, 1, 1, 10, 10, null]),
  term: random.pick([null, 12, 36]),
  ...(random.chance(40) && { service: random.pick(['Internet', 'ethernet', null]) }),
});

/** What clients do with many sites, and with places that are not served. */
export const siteSteps: readonly StepKind[] = [
  {
    name: 'quote',
    weight: 5,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const general = { ...drawWanted(random), bandwidth: random.pick([0.1, 1, undefined]) };
      const query = { bandwidth: random.pick([0.1, 1, 10]), term: random.pick([12, 36]) };
      const isQueried = random.chance(30);
      const asked = Array.from({ length: 1 + random.below(4) }, () => ({
        postcode: random.pick(places),
        ...(random.chance(80) && { wanted: drawWanted(random) }),
      }));
      const sites = asked.map(({ postcode, wanted = {} }) => {
        const of = <K extends keyof Wanted>(name: K, byQuery?: Wanted[K]) =>
          wanted[name] ?? general[name] ?? (isQueried ? byQuery : null) ?? null;
        const [bandwidth, term] = [of('bandwidth', query.bandwidth), of('term', query.term)];
        return { postcode, wanted: { bandwidth, term, service: of('service') } };
      });
      const reference = random.pick([null, 'RFQ-1', 'RFQ-2']);
      const { headers } = keyed(random);
      return {
        words: `${name} quotes ${JSON.stringify(sites)}${headers ? '' : ' without a key'}`,
        sent: {
          method: 'POST',
          path: isQueried
            ? `${base}/quote?bandwidth=${query.bandwidth}&term=${query.term}`
            : `${base}/quote`,
          token,
          ...(headers && { headers }),
          body: { sites: asked, wanted: general, ...(reference !== null && { reference }) },
        },
        expect: (now) => makeQuote(now, { client, reference, sites }),
        again: headers ? 'same' : 'twice',
      };
    },
  },
  {
    name: 'order of lines',
    weight: 10,
    draw(model, random) {
      const picked = pickQuote(model, random);
      if (!picked || picked.some.length === 0) return null;
      const { quote, client, id, some, name, token } = picked;
      const offers: Record<number, number> = {};
      const named: Record<string, string> = {};
      for (const line of some) {
        const place = drawOffer(model, random, quote, line);
        if (place === undefined) continue;
        offers[line] = place;
        const enquiry = model.requests.find(
          (one) => one.kind === 'enquiry' && one.line?.quote === quote && one.line.line === line,
        );
        named[line + 1] = enquiry!.offers[place]!.id;
      }
      const { headers } = keyed(random);
      return {
        words: `${name} orders lines ${some.map((line) => line + 1).join()} of quote ${quote}${headers ? '' : ' without a key'}`,
        sent: {
          method: 'POST',
          path: `${base}/quote/${id}/acceptance`,
          token,
          ...(headers && { headers }),
          body: {
            lines: some.map((line) => String(line + 1)),
            ...(Object.keys(named).length > 0 && { offers: named }),
          },
        },
        expect: (now) => orderLines(now, quote, client, { lines: some, offers }),
        again: headers ? 'same' : 'twice',
      };
    },
  },
  {
    name: 'enquiry of lines',
    weight: 6,
    draw(model, random) {
      const picked = pickQuote(model, random);
      if (!picked) return null;
      const { quote, client, id, some, name, token } = picked;
      const lines = some.length > 0 && random.chance(50) ? some : null;
      const { headers } = keyed(random);
      return {
        words: `${name} asks for ${lines ? `lines ${lines.map((line) => line + 1).join()}` : 'the gaps'} of quote ${quote}`,
        sent: {
          method: 'POST',
          path: `${base}/quote/${id}/enquiry`,
          token,
          ...(headers && { headers }),
          body: lines ? { lines: lines.map((line) => String(line + 1)) } : {},
        },
        expect: (now) => askForLines(now, quote, client, lines),
        again: headers ? 'same' : 'twice',
      };
    },
  },
  {
    name: 'copy of a quote',
    weight: 1,
    draw(model, random) {
      const picked = pickQuote(model, random);
      if (!picked) return null;
      const { quote, client, id, name, token } = picked;
      const path = `${base}/quote/${id}/copy`;
      return {
        words: `${name} copies quote ${quote}`,
        sent: { method: 'POST', path, token },
        expect: (now) => copyQuote(now, quote, client),
        again: 'twice',
      };
    },
  },
  {
    name: 'watch',
    weight: 5,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const postcode = random.pick(places);
      const path = `${base}/watch/${encodeURIComponent(postcode)}`;
      if (random.chance(15)) {
        return {
          words: `${name} deletes the watch of ${postcode}`,
          sent: { method: 'DELETE', path, token },
          expect: (now) => deleteWatch(now, client, postcode),
          again: 'twice',
        };
      }
      const sent = {
        reference: random.pick([null, 'W-1', 'W-2']),
        minBandwidth: random.pick([null, 1, 10]),
        maxPrice: random.pick([null, 120, 150]),
      };
      return {
        words: `${name} watches ${postcode}: ${JSON.stringify(sent)}`,
        sent: { method: 'PUT', path, token, body: sent },
        expect: (now) => putWatch(now, client, postcode, sent),
        again: 'twice',
      };
    },
  },
];

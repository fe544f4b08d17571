/** The pages of staff, compared with the model: each offers exactly what the service accepts. */
import { departures } from './comparison.js';
import {
  answerCancellation,
  proposeCharge,
  recordAnswer,
  withdrawCharge,
} from './model/charges.js';
import { amend } from './model/conversation.js';
import { changeDelivery } from './model/deliveries.js';
import type { Expected, Model } from './model/model.js';
import { makeMove, type MoveSent } from './model/moves.js';
import { acceptOffer, offerStateOf, sendOffers, withdrawOffer } from './model/offers.js';
import { HOUR } from './model/time.js';

/** A page as a member reads it. */
export type ReadPage = (
  path: string,
) => Promise<{ readonly status: number; readonly text: string }>;

type Attempt = (model: Model) => Expected;

/** What a member can do on the page of a request, by its address below the page, and the request that does it. */
function attempts(model: Model, number: number, by: number): Record<string, Attempt> {
  const request = model.requests[number]!;
  const { kind, version, owner, offers, charges, expedite } = request;
  const to = model.members.findIndex(({ isEnabled }, one) => isEnabled && one !== owner);
  const move =
    (sent: MoveSent): Attempt =>
    (now) =>
      makeMove(now, number, by, sent);
  const offer = { price: 450, term: 12, setupPrice: null, basis: 'firm', days: 3 };
  const charge = { category: expedite ? 'expedite' : 'survey', amount: 1, dueAt: model.now + HOUR };
  const byOffer = offers.flatMap(({ id }, place): [string, Attempt][] => [
    [`withdrawal?offer=${id}`, (now) => withdrawOffer(now, number, by, place)],
    [`acceptance?offer=${id}`, (now) => acceptOffer(now, number, place, { member: by })],
  ]);
  const byCharge = charges.flatMap(({ id }, place): [string, Attempt][] => [
    [
      `charges/${id}/answer`,
      (now) => recordAnswer(now, number, place, by, { accept: false, by: 'Ada Lovelace' }),
    ],
    [`charges/${id}/withdraw`, (now) => withdrawCharge(now, number, place, by)],
  ]);
  return {
    claim: move({ move: 'claim', version }),
    assign: move({ move: 'assign', version, to }),
    resume: move({ move: 'resume', version }),
    'hand-over': move({ move: 'handOver', version, to, note: 'A note.' }),
    release: move({ move: 'release', version, reason: 'A reason.' }),
    cancel: move({ move: 'cancel', version, reason: 'client_request' }),
    reopen: move({ move: 'reopen', version, reason: 'A reason.' }),
    reply: move({ move: 'reply', version, text: 'A word.' }),
    settle: move({ move: 'settle', version }),
    ...(kind === 'enquiry' && {
      answer: (now: Model) =>
        sendOffers(now, number, by, { version, offers: [offer], at: now.now }),
    }),
    charge: (now) => proposeCharge(now, number, by, { version, note: 'A note.', ...charge }),
    amendment: (now) => amend(now, number, { member: by, version }, {}),
    delivery: (now) => changeDelivery(now, number, by, { version }),
    'cancellation-answer': (now) =>
      answerCancellation(now, number, by, { version, accept: false, note: 'A note.' }),
    ...Object.fromEntries(byOffer),
    ...Object.fromEntries(byCharge),
  };
}

/** A copy of the model in which one request can be changed. */
function trialOf(model: Model, number: number): Model {
  const request = structuredClone(model.requests[number]!);
  return { ...model, requests: model.requests.with(number, request), events: [...model.events] };
}

/** The page of a request, as one of the members reads it. */
export async function differencesOfPage(
  model: Model,
  number: number,
  by: number,
  read: ReadPage,
): Promise<string[]> {
  const request = model.requests[number]!;
  const { name } = model.members[by]!;
  const { status, text } = await read(`/staff/orders/${request.id}`);
  const where = `page of request ${number} for ${name}`;
  if (status !== 200) return [`${where}: ${status}`];
  const tried = attempts(model, number, by);
  const can = Object.keys(tried).filter(
    (one) => !tried[one]!(trialOf(model, number)).code && isOnPage(model, number, one),
  );
  const drawn = [...text.matchAll(/(?:href|action)="\/staff\/orders\/[A-Z]+-[^/"]+\/([^"]+)"/g)];
  const shown = new Set(drawn.map(([, path]) => path!).filter((path) => path in tried));
  const owner = request.owner === null ? 'Unassigned.' : nameOf(model, request.owner);
  const words = [owner, ...request.offers.map(({ code }) => code ?? ''), request.postcode];
  return [
    ...departures(can.toSorted(), [...shown].toSorted(), where),
    ...words.filter((one) => !text.includes(one)).map((one) => `${where} does not say ${one}`),
  ];
}

const nameOf = ({ members }: Model, owner: number) => `Owner: ${members[owner]!.name}.`;

/** Whether the page leads to what the member can do: what has ended is no longer offered there. */
function isOnPage(model: Model, number: number, path: string): boolean {
  const request = model.requests[number]!;
  const [, id] = /^(?:charges\/|acceptance\?offer=)([^/]+)/.exec(path) ?? [];
  const offer = request.offers.find((one) => one.id === id);
  if (offer) return offerStateOf(request, offer, model.now) === 'open';
  const charge = request.charges.find((one) => one.id === id);
  return charge === undefined || charge.state === 'awaitingResponse';
}

/** Pages of the catalogue, for those who may change it. */
export function pagesOfCatalogue({ published }: Model): string[] {
  const versions = published
    .slice(-3)
    .flatMap(({ version }) => [
      `/staff/catalogue/versions/${version}`,
      `/staff/catalogue/versions/${version}/changes`,
      `/staff/catalogue/versions/${version}/prices?list=gold&zone=ONNET`,
      `/staff/catalogue/versions/${version}/coverage`,
    ]);
  return ['/staff/catalogue', '/staff/catalogue/adjust', ...versions];
}

/** Pages that each member can read at any time. */
export function pagesOf(model: Model): string[] {
  // One that was taken back before it was sent has no page.
  const quotes = model.quotes
    .filter(({ sentAt }) => sentAt < Infinity)
    .map(({ id }) => `/staff/quotes/${id}`);
  const views = ['waiting', 'mine', 'open', 'closed', 'all', 'waiting-for-client'];
  return [
    ...views.map((view) => `/staff/queue?view=${view}`),
    '/staff/search?q=EC2A',
    '/staff/quotes',
    ...quotes.slice(-3),
    '/staff/check?postcode=EC2A+2BS',
  ];
}

/** What no page may say. */
export async function faultsOfPage(path: string, read: ReadPage): Promise<string[]> {
  const { status, text } = await read(path);
  const isRight = status === 200 && !/undefined|NaN|\[object/.test(text);
  return isRight ? [] : [`${path} is answered ${status}: ${text.slice(0, 2_000)}`];
}

import { isTaken, isUnread, type Model } from '../model/model.js';
import {
  CONFIRMED,
  makeMove,
  type MoveSent,
  type MoveWord,
  takeNext,
  undoMove,
} from '../model/moves.js';
import { remember } from '../model/erasure.js';
import { dayAfter, dayOf, HOUR, MINUTE } from '../model/time.js';
import { answerCancellation, withdrawCancellation } from '../model/charges.js';
import { changeDelivery, type DeliveryChange, type Milestone } from '../model/deliveries.js';
import type { Random } from '../random.js';
import { type Action, onPage, pickRequest, someWord, type StepKind } from './step.js';

const words: readonly MoveWord[] = [
  'claim',
  'assign',
  'logContact',
  'schedule',
  'resume',
  'handOver',
  'release',
  'win',
  'lose',
  'duplicate',
  'cancel',
  'reopen',
  'reply',
  'settle',
];

const awaited = [
  { party: 'client', what: 'Name a site contact.' },
  { party: 'client', what: 'Say which floor.' },
  { party: 'thirdParty', what: 'Give consent.' },
] as const;

/** The forms of pages whose fields are those of the API. */
const pages: Partial<Record<MoveWord, string>> = {
  claim: 'claim',
  assign: 'assign',
  logContact: 'contact',
  resume: 'resume',
  handOver: 'hand-over',
  release: 'release',
  lose: 'lose',
  cancel: 'cancel',
  reopen: 'reopen',
  reply: 'reply',
  settle: 'settle',
};

/** Mostly a move that the state allows. */
function likelyMoves(model: Model, number: number): readonly MoveWord[] {
  const request = model.requests[number]!;
  if (isUnread(request) && model.now % 3 > 0) return ['reply', 'settle'];
  if (request.state === 'waiting') return ['claim', 'claim', 'assign', 'duplicate', 'cancel'];
  if (isTaken(request)) {
    const ends = request.kind === 'order' ? (['win', 'win', 'win', 'win', 'lose'] as const) : [];
    return ['logContact', 'schedule', 'resume', 'handOver', 'release', 'cancel', 'lose', ...ends];
  }
  return ['reopen'];
}

function contentOf(
  move: MoveWord,
  version: number,
  model: Model,
  random: Random,
  number: number,
): MoveSent {
  switch (move) {
    case 'claim':
    case 'resume':
    case 'settle':
      return { move, version };
    case 'reply':
      return { move, version, text: `We read it: ${someWord(random)}.` };
    case 'assign':
      return { move, version, to: random.below(model.members.length) };
    case 'handOver': {
      const to = random.below(model.members.length);
      return { move, version, to, note: `Over to you, ${someWord(random)}.` };
    }
    case 'logContact':
      return { move, version, channel: 'phone', result: random.pick(['reached', 'no_answer']) };
    case 'schedule': {
      const later = random.pick([20 * MINUTE, 26 * HOUR, -HOUR]);
      return { move, version, at: model.now + later, reason: 'callback_agreed' };
    }
    case 'release':
    case 'reopen':
      return { move, version, reason: `A reason: ${someWord(random)}.` };
    case 'win': {
      const isIndicative = model.requests[number]!.terms?.basis === 'indicative';
      return {
        move,
        version,
        ...(random.chance(40) && { externalReference: `CRM-${random.below(100)}` }),
        ...(isIndicative === random.chance(92) && { confirms: true }),
      };
    }
    case 'lose':
    case 'cancel': {
      const reasons =
        move === 'lose'
          ? ['price', 'not_serviceable', 'invalid_details', 'other']
          : ['client_request', 'test_request', 'other'];
      return {
        move,
        version,
        reason: random.pick(reasons),
        ...(random.chance(70) && { note: `A note: ${someWord(random)}.` }),
      };
    }
    case 'duplicate': {
      const { client, kind } = model.requests[number]!;
      const alike = [...model.requests.keys()].filter((one) => {
        const other = model.requests[one]!;
        return one !== number && other.client === client && other.kind === kind;
      });
      const of = random.chance(85) ? random.maybe(alike) : random.below(model.requests.length);
      return { move, version, of: of ?? number };
    }
  }
}

/** As the staff API takes it. */
function bodyOf(model: Model, sent: MoveSent): Record<string, unknown> {
  switch (sent.move) {
    case 'assign':
      return { move: sent.move, version: sent.version, ownerId: model.members[sent.to]!.id };
    case 'handOver': {
      const { move, version, note } = sent;
      return { move, version, ownerId: model.members[sent.to]!.id, note };
    }
    case 'schedule': {
      const { move, version, reason } = sent;
      return { move, version, reason, nextActionAt: new Date(sent.at).toISOString() };
    }
    case 'win': {
      const { confirms, ...rest } = sent;
      return { ...rest, ...(confirms && CONFIRMED) };
    }
    case 'duplicate':
      return { ...sent, of: model.requests[sent.of]!.id };
    case 'claim':
    case 'resume':
    case 'logContact':
    case 'release':
    case 'reopen':
    case 'lose':
    case 'cancel':
    case 'reply':
    case 'settle':
      return { ...sent };
  }
}

/** What members of staff do with requests. */
export const staffSteps: readonly StepKind[] = [
  {
    name: 'move',
    weight: 40,
    draw(model, random) {
      const number = pickRequest(model, random);
      if (number === undefined) return null;
      const request = model.requests[number]!;
      const move = random.pick(random.chance(90) ? likelyMoves(model, number) : words);
      const by =
        request.owner !== null && random.chance(80)
          ? request.owner
          : random.below(model.members.length);
      const version = random.chance(94) ? request.version : request.version + 1;
      const content = contentOf(move, version, model, random, number);
      const action = moveAction(model, number, by, content);
      const path = pages[move];
      if (path === undefined || random.chance(75)) return action;
      const fields = { ...bodyOf(model, content), move: undefined };
      return onPage(action, model.members[by]!, request.id, { path, fields });
    },
  },
  {
    name: 'moves of several',
    weight: 4,
    draw(model, random) {
      const numbers = [...model.requests.keys()].slice(-8).filter(() => random.chance(40));
      const [first] = numbers;
      if (first === undefined) return null;
      const by = random.below(model.members.length);
      const { name, token } = model.members[by]!;
      const move = random.pick(['claim', 'handOver', 'release', 'logContact', 'reply'] as const);
      const content = contentOf(move, 0, model, random, first);
      const orders = numbers.map((number) => {
        const { id, version } = model.requests[number]!;
        return { orderId: id, version: random.chance(95) ? version : version + 1 };
      });
      const body = { ...bodyOf(model, content), orders, version: undefined };
      const several = new Set(numbers.map((number) => model.requests[number]!.client)).size > 1;
      return {
        words: `${name} makes the move ${move} of the requests ${numbers.join()}`,
        sent: { method: 'POST', path: '/follow-up/moves', token, body },
        expect: (now) => {
          // Two clients never get the same message.
          if (move === 'reply' && several) return { status: 400, code: 'validation-error' };
          const isUnknown = 'to' in content && !now.members[content.to]!.isEnabled;
          if (isUnknown) return { status: 422, code: 'unknown-person' };
          const results = numbers.map((number, i) => {
            const { version } = orders[i]!;
            const { status } = makeMove(now, number, by, { ...content, version });
            const { id: orderId, version: after } = now.requests[number]!;
            const moved = status === 200;
            return { orderId, moved, version: moved ? after : null };
          });
          const moved = results.filter((one) => one.moved).length;
          return { status: 200, body: { results, moved, failed: results.length - moved } };
        },
        again: 'twice',
      };
    },
  },
  {
    name: 'take next',
    weight: 4,
    draw(model, random) {
      const by = random.below(model.members.length);
      const { name, token } = model.members[by]!;
      return {
        words: `${name} takes the next order`,
        sent: { method: 'POST', path: '/follow-up/take-next', token, body: {} },
        expect: (now) => takeNext(now, by),
        again: 'twice',
      };
    },
  },
  {
    name: 'undo',
    weight: 8,
    draw(model, random) {
      const number = pickRequest(model, random, (one) => model.requests[one]!.undo !== null);
      if (number === undefined) return null;
      const { id, undo, version } = model.requests[number]!;
      const by = random.chance(90) ? undo!.by : random.below(model.members.length);
      const { name, token } = model.members[by]!;
      return {
        words: `${name} undoes the last move of request ${number}`,
        sent: {
          method: 'POST',
          path: `/follow-up/orders/${id}/moves`,
          token,
          body: { move: 'undo', version },
        },
        expect: (now) => undoMove(now, number, by, version),
        again: 'done',
      };
    },
  },
  {
    name: 'delivery',
    weight: 14,
    draw(model, random) {
      const number = pickRequest(model, random, (one) => model.requests[one]!.delivery !== null);
      if (number === undefined) return null;
      const { id, version } = model.requests[number]!;
      const by = random.below(model.members.length);
      const { name, token } = model.members[by]!;
      const done = random.pick<Milestone>(['surveyed', 'installed', 'live']);
      const drawn = random.pick([null, ...awaited]);
      const word = random.chance(40) ? ` ${someWord(random)}` : '';
      const waitingFor = drawn && { ...drawn, what: `${drawn.what}${word}` };
      const change: DeliveryChange = {
        version,
        ...random.pick([
          { done },
          { done },
          { waitingFor },
          { waitingFor, committedDate: dayAfter(dayOf(model.now), 20) },
        ]),
      };
      return {
        words: `${name} changes the delivery of order ${number}: ${JSON.stringify(change)}`,
        sent: {
          method: 'POST',
          path: `/follow-up/orders/${id}/delivery`,
          token,
          body: {
            ...change,
            done: undefined,
            ...(change.done && { milestones: [{ code: done, doneOn: dayOf(model.now) }] }),
          },
        },
        expect: (now) => {
          const expected = changeDelivery(now, number, by, change);
          if (change.done === 'live' && expected.status === 200)
            withdrawCancellation(now, number, by);
          return expected;
        },
        again: 'done',
      };
    },
  },
  {
    name: 'cancellation answer',
    weight: 5,
    draw(model, random) {
      const number = pickRequest(model, random, (one) => {
        const { delivery } = model.requests[one]!;
        return delivery !== null && (delivery.askedAt !== null || random.chance(10));
      });
      if (number === undefined) return null;
      const { id, owner, version } = model.requests[number]!;
      const by = owner !== null && random.chance(60) ? owner : random.below(model.members.length);
      const { name, token } = model.members[by]!;
      const accept = random.chance(70);
      const amount = accept && random.chance(60) ? { amount: 12_500 } : {};
      const answer = {
        version,
        accept,
        ...amount,
        note: `For what was built, ${someWord(random)}.`,
      };
      return {
        words: `${name} ${accept ? 'cancels' : 'keeps'} the accepted order ${number}${'amount' in amount ? ' for a charge' : ''}`,
        sent: {
          method: 'POST',
          path: `/follow-up/orders/${id}/cancellation-answer`,
          token,
          body: {
            version,
            accept,
            ...('amount' in amount && { amount: 125, note: answer.note }),
          },
        },
        expect: (now) => answerCancellation(now, number, by, answer),
        again: 'done',
        reread: { method: 'GET', path: `/follow-up/orders/${id}`, token },
        alwaysReread: 'amount' in amount,
      };
    },
  },
  {
    name: 'note',
    weight: 2,
    draw(model, random) {
      const number = pickRequest(model, random);
      if (number === undefined) return null;
      const { name, token } = random.pick(model.members);
      const path = `/follow-up/orders/${model.requests[number]!.id}/moves`;
      const note = `Gate code ${someWord(random)}.`;
      return {
        words: `${name} notes something about request ${number}`,
        sent: { method: 'POST', path, token, body: { move: 'note', note } },
        expect: (now) => {
          now.requests[number]!.entries.push({ action: 'noted', actor: name });
          remember(now.requests[number]!, note);
          return { status: 200 };
        },
        again: 'twice',
      };
    },
  },
];

export function moveAction(model: Model, number: number, by: number, content: MoveSent): Action {
  const { id } = model.requests[number]!;
  const { name, token } = model.members[by]!;
  const { move, version } = content;
  return {
    words: `${name} makes the move ${move} of request ${number} at version ${version}`,
    sent: {
      method: 'POST',
      path: `/follow-up/orders/${id}/moves`,
      token,
      body: bodyOf(model, content),
    },
    expect: (now) => makeMove(now, number, by, content),
    again: 'done',
  };
}

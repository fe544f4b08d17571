import { amend, hear } from '../model/conversation.js';
import { waitOf } from '../model/deliveries.js';
import { cancelOwn, makeCheck, placeEnquiry, placeOrder } from '../model/placing.js';
import type { Facts, Model } from '../model/model.js';
import type { Random } from '../random.js';
import { type Action, keyed, pickRequest, places, someWord, type StepKind } from './step.js';

const base = '/product-availability';

/** For a client on the phone, mostly by the owner of its order. */
function amendmentByStaff(
  model: Model,
  number: number,
  sent: Partial<Facts>,
  random: Random,
): Action {
  const { id, owner, version } = model.requests[number]!;
  const member = owner !== null && random.chance(60) ? owner : random.below(model.members.length);
  const { name, token } = model.members[member]!;
  const path = `/follow-up/orders/${id}/moves`;
  return {
    words: `${name} amends request ${number}: ${JSON.stringify(sent)}`,
    sent: { method: 'POST', path, token, body: { move: 'amend', version, ...sent } },
    expect: (now) => amend(now, number, { member, version }, sent),
    again: 'done',
  };
}

/** What API clients do with their own systems. */
export const clientSteps: readonly StepKind[] = [
  {
    name: 'check',
    weight: 14,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const postcode = random.pick(places);
      const { name, token } = model.clients[client]!;
      return {
        words: `${name} checks ${postcode}`,
        sent: { method: 'GET', path: `${base}/postcode/${encodeURIComponent(postcode)}`, token },
        expect: (now) => makeCheck(now, client, postcode).expected,
        again: 'twice',
      };
    },
  },
  {
    name: 'order',
    weight: 16,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const recent = model.checks.slice(-12);
      const check = random.chance(50)
        ? random.maybe(random.chance(90) ? recent.filter((one) => one.client === client) : recent)
        : undefined;
      const postcode = check && random.chance(95) ? check.postcode : random.pick(places);
      const sold = check?.answer.offers ?? [];
      const product =
        sold.length > 0 && random.chance(90)
          ? random.pick(sold).productCode
          : random.pick(model.catalogue.products).code;
      const order = {
        client,
        postcode,
        product,
        ...(check && { check }),
        ...(random.chance(50) && { reference: `PO-${random.below(6)}` }),
        ...(random.chance(30) && { acceptExtraUpTo: random.below(6) * 10_000 }),
        ...(random.chance(15) && { expedite: true }),
        ...(random.chance(40) && {
          contact: { name: someWord(random), phone: '+44 20 7946 0958' },
        }),
      };
      const { acceptExtraUpTo } = order;
      const cited = check ? ` citing ${check.id}` : '';
      const { headers } = keyed(random);
      return {
        words: `${name} orders ${product} at ${postcode}${cited}${headers ? '' : ' without a key'}`,
        sent: {
          method: 'POST',
          path: `${base}/order`,
          token,
          ...(headers && { headers }),
          body: {
            postcode,
            productCode: product,
            ...(check && { checkId: check.id }),
            ...(order.reference !== undefined && { reference: order.reference }),
            ...(acceptExtraUpTo !== undefined && { acceptExtraUpTo: acceptExtraUpTo / 100 }),
            ...(order.expedite && { expedite: true }),
            ...(order.contact && { contact: order.contact }),
          },
        },
        expect: (now) => placeOrder(now, order),
        again: headers ? 'same' : 'twice',
      };
    },
  },
  {
    name: 'enquiry',
    weight: 8,
    draw(model, random) {
      const client = random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const postcode = random.pick(places);
      const wanted = { bandwidth: random.pick([0.1, 1, 10]), term: random.pick([12, 36]) };
      const { headers } = keyed(random);
      const enquiry = { client, postcode, wanted };
      return {
        words: `${name} enquires at ${postcode}${headers ? '' : ' without a key'}`,
        sent: {
          method: 'POST',
          path: `${base}/enquiry`,
          token,
          ...(headers && { headers }),
          body: { postcode, wanted },
        },
        expect: (now) => placeEnquiry(now, enquiry),
        again: headers ? 'same' : 'twice',
      };
    },
  },
  {
    name: 'cancel own',
    weight: 5,
    draw(model, random) {
      const number = pickRequest(model, random);
      if (number === undefined) return null;
      const request = model.requests[number]!;
      const client = random.chance(92) ? request.client : random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const path = `${base}/${request.kind}/${request.id}/cancellation`;
      return {
        words: `${name} cancels ${request.kind} ${number}`,
        sent: { method: 'POST', path, token, body: {} },
        expect: (now) => cancelOwn(now, number, client),
        again: 'same',
      };
    },
  },
  {
    name: 'message',
    weight: 8,
    draw(model, random) {
      const waits = (one: number) => waitOf(model.requests[one]!.delivery)?.party === 'client';
      const number = pickRequest(model, random, random.chance(40) ? waits : undefined);
      if (number === undefined) return null;
      const request = model.requests[number]!;
      const client = random.chance(95) ? request.client : random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const answersWaiting = waits(number) ? random.chance(60) : random.chance(5);
      const sent = { text: `Ring ${someWord(random)}.`, answersWaiting };
      const { headers } = keyed(random);
      const path = `${base}/${request.kind}/${request.id}/message`;
      return {
        words: `${name} writes about request ${number}${answersWaiting ? ', and answers' : ''}`,
        sent: { method: 'POST', path, token, ...(headers && { headers }), body: sent },
        expect: (now) => hear(now, number, client, sent),
        again: headers ? 'same' : 'twice',
      };
    },
  },
  {
    name: 'amendment',
    weight: 6,
    draw(model, random) {
      const number = pickRequest(model, random);
      if (number === undefined) return null;
      const request = model.requests[number]!;
      const client = random.chance(95) ? request.client : random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const sent = {
        ...(random.chance(50) && { reference: random.pick([null, 'PO-1', 'PO-2']) }),
        ...(random.chance(50) && {
          details: random.pick([null, { floor: '2' }, { floor: someWord(random) }]),
        }),
        ...(random.chance(30) && { preferredDays: random.pick([null, { days: ['mon', 'thu'] }]) }),
      };
      if (random.chance(35)) return amendmentByStaff(model, number, sent, random);
      const path = `${base}/${request.kind}/${request.id}/amendment`;
      return {
        words: `${name} amends request ${number}: ${JSON.stringify(sent)}`,
        sent: { method: 'POST', path, token, body: sent },
        expect: (now) => amend(now, number, { client }, sent),
        again: 'same',
      };
    },
  },
];

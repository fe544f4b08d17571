import {
  answerCharge,
  type ChargeSent,
  proposeCharge,
  recordAnswer,
  withdrawCharge,
} from '../model/charges.js';
import { isTaken, type Model } from '../model/model.js';
import {
  acceptOffer,
  decideAnswer,
  declineOffers,
  lastDayOf,
  OFFER_NAME,
  type OfferSent,
  sendOffers,
  withdrawOffer,
} from '../model/offers.js';
import { DAY, HOUR, MINUTE } from '../model/time.js';
import type { Random } from '../random.js';
import { type Action, onPage, pickRequest, someWord, type StepKind } from './step.js';

const base = '/product-availability';
const staffPath = (model: Model, number: number) =>
  `/follow-up/orders/${model.requests[number]!.id}`;

/** Mostly the owner of the request. */
function pickMember(model: Model, random: Random, owner: number | null): number {
  if (owner !== null && random.chance(60)) return owner;
  return random.below(model.members.length);
}

/** A request of staff about a request, whose answer is all about it. */
function ofStaff(
  model: Model,
  number: number,
  by: number,
  about: { readonly words: string; readonly path: string; readonly body: object } & Pick<
    Action,
    'expect'
  >,
): Action {
  const { name, token } = model.members[by]!;
  const path = staffPath(model, number);
  return {
    words: `${name} ${about.words} of request ${number}`,
    sent: { method: 'POST', path: `${path}${about.path}`, token, body: about.body },
    expect: about.expect,
    again: 'done',
    reread: { method: 'GET', path, token },
  };
}

function drawOffer(random: Random): OfferSent {
  return {
    price: random.pick([199.99, 450, 1_200]),
    term: random.pick([12, 36]),
    setupPrice: random.pick([null, 0, 950]),
    basis: random.pick(['firm', 'subjectToSurvey']),
    days: random.pick([0, 1, 3, 10]),
  };
}

/** Bespoke offers and extra charges: what staff propose, and what clients answer. */
export const offerSteps: readonly StepKind[] = [
  {
    name: 'answer',
    weight: 12,
    draw(model, random) {
      const isEnquiry = (one: number) => model.requests[one]!.kind === 'enquiry';
      const number = pickRequest(
        model,
        random,
        (one) => isEnquiry(one) && (isTaken(model.requests[one]!) || random.chance(5)),
      );
      if (number === undefined) return null;
      const { owner, version } = model.requests[number]!;
      const by = pickMember(model, random, owner);
      const offers = Array.from({ length: 1 + random.below(2) }, () => drawOffer(random));
      const sent = { version, offers, at: model.now };
      return ofStaff(model, number, by, {
        words: `sends ${offers.length} offers`,
        path: '/offers',
        body: {
          version,
          offers: offers.map((offer) => ({
            name: OFFER_NAME,
            bandwidthProvisioned: 2,
            term: offer.term,
            price: offer.price,
            ...(offer.setupPrice !== null && { setupPrice: offer.setupPrice }),
            currency: 'GBP',
            leadTimeDays: 60,
            basis: offer.basis,
            validUntil: lastDayOf(model.now, offer),
          })),
        },
        expect: (now) => sendOffers(now, number, by, sent),
      });
    },
  },
  {
    name: 'decision',
    weight: 6,
    draw(model, random) {
      const waits = (one: number) =>
        model.requests[one]!.offers.some(({ state }) => state === 'awaitingApproval');
      const number = pickRequest(model, random, waits);
      if (number === undefined) return null;
      const by = random.below(model.members.length);
      const { answer } = model.requests[number]!.offers.findLast(
        ({ state }) => state === 'awaitingApproval',
      )!;
      const decision = random.chance(70)
        ? { approve: true }
        : { approve: false, reason: `Too cheap, ${someWord(random)}.` };
      return ofStaff(model, number, by, {
        words: decision.approve ? 'approves the offers' : 'refuses the offers',
        path: `/answers/${answer}/decision`,
        body: decision,
        expect: (now) => decideAnswer(now, number, by, { answer, ...decision }),
      });
    },
  },
  {
    name: 'offer by staff',
    weight: 6,
    draw(model, random) {
      const number = pickRequest(model, random, (one) => model.requests[one]!.offers.length > 0);
      if (number === undefined) return null;
      const { owner, offers } = model.requests[number]!;
      const by = pickMember(model, random, owner);
      const place = random.chance(70) ? offers.length - 1 : random.below(offers.length);
      const path = `/offers/${offers[place]!.id}`;
      if (random.chance(50)) {
        return ofStaff(model, number, by, {
          words: `withdraws offer ${place}`,
          path: `${path}/withdrawal`,
          body: {},
          expect: (now) => withdrawOffer(now, number, by, place),
        });
      }
      return ofStaff(model, number, by, {
        words: `records the acceptance of offer ${place}`,
        path: `${path}/acceptance`,
        body: { by: 'Grace Hopper' },
        expect: (now) => acceptOffer(now, number, place, { member: by }),
      });
    },
  },
  {
    name: 'offer by client',
    weight: 8,
    draw(model, random) {
      const number = pickRequest(model, random, (one) =>
        model.requests[one]!.offers.some(({ wasOpen }) => wasOpen),
      );
      if (number === undefined) return null;
      const request = model.requests[number]!;
      const client = random.chance(95) ? request.client : random.below(model.clients.length);
      const { name, token } = model.clients[client]!;
      const path = `${base}/enquiry/${request.id}`;
      if (random.chance(25)) {
        return {
          words: `${name} declines the offers of request ${number}`,
          sent: { method: 'POST', path: `${path}/decline`, token, body: {} },
          expect: (now) => declineOffers(now, number, client),
          again: 'same',
        };
      }
      const { offers } = request;
      const place = random.chance(70) ? offers.length - 1 : random.below(offers.length);
      return {
        words: `${name} accepts offer ${place} of request ${number}`,
        sent: {
          method: 'POST',
          path: `${path}/acceptance`,
          token,
          body: { offerId: offers[place]!.id },
        },
        expect: (now) => acceptOffer(now, number, place, { client }),
        again: 'same',
      };
    },
  },
  {
    name: 'charge',
    weight: 10,
    draw(model, random) {
      const number = pickRequest(model, random, (one) => {
        const { kind, terms } = model.requests[one]!;
        return kind === 'order' && (terms!.extraChargesPossible || random.chance(15));
      });
      if (number === undefined) return null;
      const { owner, version } = model.requests[number]!;
      const by = pickMember(model, random, owner);
      const charge: ChargeSent = {
        version,
        category: random.pick(['survey', 'construction', 'expedite']),
        amount: random.pick([5_000, 10_000, 24_950, 40_000]),
        // A form has minutes.
        dueAt: Math.ceil(model.now / MINUTE) * MINUTE + random.pick([6 * HOUR, 2 * DAY, 9 * DAY]),
        note: `Traffic management, ${someWord(random)}.`,
      };
      const dueAt = new Date(charge.dueAt).toISOString();
      const body = { ...charge, amount: charge.amount / 100, dueAt };
      const action = ofStaff(model, number, by, {
        words: `proposes a charge of ${body.amount}`,
        path: '/charges',
        body,
        expect: (now) => proposeCharge(now, number, by, charge),
      });
      // In London's time, which is UTC's until the clocks change.
      if (random.chance(70) || dueAt > '2027-03-28') return action;
      const fields = { ...body, dueAt: dueAt.slice(0, 16) };
      const { id } = model.requests[number]!;
      return onPage(action, model.members[by]!, id, { path: 'charge', fields });
    },
  },
  {
    name: 'answer to a charge',
    weight: 10,
    draw(model, random) {
      const number = pickRequest(model, random, (one) => model.requests[one]!.charges.length > 0);
      if (number === undefined) return null;
      const { charges, client: own, id, owner } = model.requests[number]!;
      const place = random.chance(70) ? charges.length - 1 : random.below(charges.length);
      const chargeId = charges[place]!.id;
      const accept = random.chance(60);
      const dice = random.below(100);
      if (dice < 50) {
        const client = random.chance(95) ? own : random.below(model.clients.length);
        const { name, token } = model.clients[client]!;
        const by = random.pick([null, 'Ada Lovelace']);
        return {
          words: `${name} ${accept ? 'accepts' : 'rejects'} charge ${place} of request ${number}`,
          sent: {
            method: 'POST',
            path: `${base}/order/${id}/charge/${chargeId}/answer`,
            token,
            body: { accept, ...(by !== null && { by }) },
          },
          expect: (now) => answerCharge(now, number, place, client, { accept, by }),
          again: 'same',
        };
      }
      const by = pickMember(model, random, owner);
      if (dice < 80) {
        const answer = { accept, by: 'Grace Hopper' };
        return ofStaff(model, number, by, {
          words: `records that charge ${place} is ${accept ? 'accepted' : 'rejected'}`,
          path: `/charges/${chargeId}/answer`,
          body: answer,
          expect: (now) => recordAnswer(now, number, place, by, answer),
        });
      }
      return ofStaff(model, number, by, {
        words: `withdraws charge ${place}`,
        path: `/charges/${chargeId}/withdrawal`,
        body: {},
        expect: (now) => withdrawCharge(now, number, place, by),
      });
    },
  },
];

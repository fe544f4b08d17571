import { eraseQuote, eraseRequest } from '../model/erasure.js';
import { AGENT, audited, MANAGER, type Model, refused } from '../model/model.js';
import { makeQuote, undoOfQuote, withdrawQuote } from '../model/quotes.js';
import type { Random } from '../random.js';
import type { Operation } from '../simulated-service.js';
import {
  addMember,
  drawCatalogue,
  erase,
  publish,
  replaceToken,
  restore,
  sendQuote,
  setMember,
  undoQuote,
  withdraw,
} from '../world.js';
import { type Action, drawSites, pickRequest, type StepKind } from './step.js';

/** Changes of the staff. */
function drawMember(model: Model, random: Random): Action {
  const { members } = model;
  if (members.length < 7 && random.chance(20)) {
    const name = `Member ${members.length}`;
    const role = random.pick(['agent', 'manager'] as const);
    return {
      words: `${name} joins the staff as ${role}`,
      sent: (service) => addMember(service, name, role),
      expect: (now) => {
        const member = { name, role, id: '', token: '', isEnabled: true };
        now.members.push(member);
        audited(now, 'staff added');
        audited(now, 'token issued');
        return { status: 200, learn: (body) => Object.assign(member, body) };
      },
      again: 'twice',
    };
  }
  const by = random.pick([...members.keys()].filter((one) => one !== AGENT && one !== MANAGER));
  const { name, id, role, isEnabled } = members[by]!;
  const change = random.chance(50)
    ? { role: role === 'agent' ? ('manager' as const) : ('agent' as const) }
    : { isEnabled: !isEnabled };
  return {
    words: `${name} becomes ${JSON.stringify(change)}`,
    sent: (service) => setMember(service, id, change),
    expect: (now) => {
      const member = now.members[by]!;
      if ('role' in change && member.role !== change.role) audited(now, 'staff role-set');
      if ('isEnabled' in change && member.isEnabled !== change.isEnabled) {
        audited(now, `staff ${change.isEnabled ? 'enabled' : 'disabled'}`);
      }
      Object.assign(member, change);
      return { status: 200 };
    },
    again: 'same',
  };
}

/** What the operator does at the command line, and staff on pages that have no API. */
export const operatorSteps: readonly StepKind[] = [
  { name: 'member', weight: 3, draw: drawMember },
  {
    name: 'publication',
    weight: 5,
    draw(model, random) {
      const catalogue = drawCatalogue(model.now, random);
      return {
        words: 'the operator publishes another catalogue',
        publishes: true,
        sent: (service) => publish(service, catalogue),
        expect: (now) => {
          now.catalogue = catalogue;
          audited(now, 'catalogue imported');
          audited(now, 'catalogue activated');
          const learn = ({ version }: Record<string, unknown>) => {
            now.live = Number(version);
            now.published.push({ version: now.live, catalogue });
          };
          return { status: 200, learn };
        },
        again: 'twice',
      };
    },
  },
  {
    name: 'restore',
    weight: 2,
    draw(model, random) {
      const earlier = random.maybe(model.published.filter(({ version }) => version !== model.live));
      if (!earlier) return null;
      const { version, catalogue } = earlier;
      return {
        words: `the operator restores version ${version} of the catalogue`,
        publishes: true,
        sent: (service) => restore(service, version),
        expect: (now) => {
          Object.assign(now, { catalogue, live: version });
          audited(now, 'catalogue rolled-back');
          return { status: 200 };
        },
        again: 'twice',
      };
    },
  },
  {
    name: 'token',
    weight: 2,
    draw(model, random) {
      const by = random.below(model.clients.length);
      const { id, name, tokenId } = model.clients[by]!;
      return {
        words: `${name} gets another token`,
        sent: (service) => replaceToken(service, { id, tokenId }),
        expect: (now) => {
          const client = now.clients[by]!;
          client.ended.push(client.token);
          audited(now, 'token issued');
          audited(now, 'token revoked');
          return { status: 200, learn: (body) => Object.assign(client, body) };
        },
        again: 'twice',
      };
    },
  },
  {
    name: 'read that is refused',
    weight: 2,
    draw(model, random) {
      const number = pickRequest(model, random);
      if (number === undefined) return null;
      const { client, id, kind } = model.requests[number]!;
      const { ended, name, testToken } = model.clients[client]!;
      const path = `/product-availability/${kind}/${id}`;
      const other = random.pick(model.clients.filter((_, one) => one !== client)).token;
      const token = random.pick([...ended.slice(-1), testToken, other]);
      return {
        words: `someone else reads ${kind} ${number} of ${name}`,
        sent: { method: 'GET', path, token },
        expect: () => refused(404, 'not-found'),
        again: 'twice',
      };
    },
  },
  {
    name: 'erasure',
    weight: 3,
    draw(model, random) {
      const quote = random.chance(20) ? random.maybe([...model.quotes.keys()]) : undefined;
      const isSent = quote !== undefined && model.quotes[quote]!.sentAt < Infinity;
      if (isSent) {
        const { id } = model.quotes[quote]!;
        return {
          words: `the operator erases quote ${quote}`,
          sent: (service) => erase(service, 'quote', id),
          expect: (now) => eraseQuote(now, quote),
          again: 'same',
        };
      }
      const number = pickRequest(model, random);
      if (number === undefined) return null;
      const { id } = model.requests[number]!;
      return {
        words: `the operator erases request ${number}`,
        sent: (service) => erase(service, 'request', id),
        expect: (now) => eraseRequest(now, number),
        again: 'same',
      };
    },
  },
  {
    name: 'quote by staff',
    weight: 2,
    draw(model, random) {
      const member = random.pick(model.members.filter(({ isEnabled }) => isEnabled));
      const client = random.below(model.clients.length);
      const { id, name } = model.clients[client]!;
      const sites = drawSites(random);
      const reference = random.pick([null, 'RFQ-1', 'RFQ-2']);
      return {
        words: `${member.name} quotes ${JSON.stringify(sites)} for ${name}`,
        sent: (service) => sendQuote(service, member, { client: id, reference, sites }),
        expect: (now) => makeQuote(now, { client, reference, sites }, member.name),
        again: 'twice',
      };
    },
  },
  {
    name: 'end of a quote',
    weight: 2,
    draw(model, random) {
      const quote = random.maybe([...model.quotes.keys()].slice(-3));
      if (quote === undefined) return null;
      const { id } = model.quotes[quote]!;
      const member = random.pick(model.members.filter(({ isEnabled }) => isEnabled));
      const [words, sent, expect]: [string, Operation, Action['expect']] = random.chance(60)
        ? [
            'withdraws',
            (service) => withdraw(service, member, id),
            (now) => withdrawQuote(now, quote, member.name),
          ]
        : [
            'undoes the last step of',
            (service) => undoQuote(service, member, id),
            (now) => undoOfQuote(now, quote, member.name),
          ];
      return { words: `${member.name} ${words} quote ${quote}`, sent, expect, again: 'twice' };
    },
  },
];

import {
  type Answer,
  faultsOf,
  faultsOfMessages,
  isJson,
  type Message,
} from './once/described-answers.js';

/** Months of a supplier's product cost this in the catalogue of nearly every test: see `Given.catalogue`. */
export const MARKED_COST = '31337.13';

const places: string[] = [];

/** Called for all that the service says: answers, messages, emails, log lines. */
export function searchForCost(where: string, said: string): void {
  if (/31,?337[.,]?13/.test(said)) places.push(where);
}

let recorded: Answer[] | undefined;
let messages: Message[] | undefined;

/** From now on, answers and messages are kept for `compareAnswers`. */
export function recordAnswers(): void {
  recorded = [];
  messages = [];
}

const mayReadCosts = new Set<string>();

/** For a token with `margins:read`: with it, operations of the catalogue say what changes in costs. */
export function letReadCosts(token: string): void {
  mayReadCosts.add(token);
}

/** Whether the page is for administrators who may see margins. */
export function mayShowCosts(path: string): boolean {
  return path.startsWith('/staff/catalogue/');
}

/** Called for each answer of the service. @param token of the request, if it has one */
export function recordAnswer(answer: Answer, token?: string): void {
  const isAllowed =
    token === undefined
      ? mayShowCosts(answer.path)
      : answer.path.startsWith('/catalogue/') && mayReadCosts.has(token);
  if (!isAllowed) {
    searchForCost(`${answer.method} ${answer.path}`, answer.text);
  }
  const isRead = isJson(String(answer.headers['content-type']));
  recorded?.push(isRead ? answer : { ...answer, text: '' });
}

/** Called for each message of the service to a webhook. */
export function recordMessage(message: Message): void {
  searchForCost('a webhook', JSON.stringify(message));
  messages?.push(message);
}

/** @throws {Error} if an answer or message since the last call differs from the descriptions, or says a cost */
export function compareAnswers(): void {
  const said = places.splice(0);
  if (said.length > 0) throw new Error(`The cost of a supplier is in ${said.join(', ')}.`);
  const faults = [
    ...faultsOf(recorded?.splice(0) ?? []),
    ...faultsOfMessages(messages?.splice(0) ?? []),
  ];
  if (faults.length > 0) {
    throw new Error(`Answers differ from the OpenAPI documents:\n${faults.join('\n')}`);
  }
}

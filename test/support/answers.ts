import {
  type Answer,
  faultsOf,
  faultsOfMessages,
  isJson,
  type Message,
} from './once/described-answers.js';

let recorded: Answer[] | undefined;
let messages: Message[] | undefined;

/** From now on, answers and messages are kept for `compareAnswers`. */
export function recordAnswers(): void {
  recorded = [];
  messages = [];
}

/** Called for each answer of the service. */
export function recordAnswer(answer: Answer): void {
  const isRead = isJson(String(answer.headers['content-type']));
  recorded?.push(isRead ? answer : { ...answer, text: '' });
}

/** Called for each message of the service to a webhook. */
export function recordMessage(message: Message): void {
  messages?.push(message);
}

/** @throws {Error} if an answer or message since the last call differs from the descriptions */
export function compareAnswers(): void {
  const faults = [
    ...faultsOf(recorded?.splice(0) ?? []),
    ...faultsOfMessages(messages?.splice(0) ?? []),
  ];
  if (faults.length > 0) {
    throw new Error(`Answers differ from the OpenAPI documents:\n${faults.join('\n')}`);
  }
}

import { type Answer, faultsOf, isJson } from './once/described-answers.js';

let recorded: Answer[] | undefined;

/** From now on, answers are kept for `compareAnswers`. */
export function recordAnswers(): void {
  recorded = [];
}

/** Called for each answer of the service. */
export function recordAnswer(answer: Answer): void {
  const isRead = isJson(String(answer.headers['content-type']));
  recorded?.push(isRead ? answer : { ...answer, text: '' });
}

/** @throws {Error} if an answer since the last call differs from the descriptions */
export function compareAnswers(): void {
  const faults = faultsOf(recorded?.splice(0) ?? []);
  if (faults.length > 0) {
    throw new Error(`Answers differ from the OpenAPI documents:\n${faults.join('\n')}`);
  }
}

import { afterAll, expect, it } from '@jest/globals';
import { AnsweringThread } from './answering-thread.js';

/** Doubles numbers; ends at a negative one. */
const source = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (number) => {
    if (number < 0) throw new Error('broken');
    parentPort.postMessage(2 * number);
  });`;
const thread = new AnsweringThread<number, number>(
  new URL(`data:text/javascript,${encodeURIComponent(source)}`),
);
afterAll(() => thread.end());

it('AnsweringThread answers in the order of the requests', async () => {
  expect(await Promise.all([1, 2, 3].map((number) => thread.ask(number)))).toEqual([2, 4, 6]);
});

it('AnsweringThread refuses all waiting requests when the thread fails, and starts another one', async () => {
  const replies = await Promise.allSettled([thread.ask(-1), thread.ask(1)]);
  expect(replies.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await thread.ask(4)).toBe(8);
});

import { afterEach, expect, it, jest } from '@jest/globals';
import { WorkTime } from './rate-limits.service.js';

afterEach(() => void jest.restoreAllMocks());

/** @returns sets the milliseconds for which the event loop has been busy */
function busyTime(): (milliseconds: number) => void {
  const now = jest.spyOn(WorkTime, 'now').mockReturnValue(0);
  return (milliseconds) => void now.mockReturnValue(milliseconds);
}

it('counts the time while work of a key is running', () => {
  const [setBusy, work] = [busyTime(), new WorkTime()];
  const end = work.begin('a');
  setBusy(300);
  end();
  setBusy(900);
  expect([work.look('a').count, work.look('b').count]).toEqual([300, 0]);
});

it('counts time that two pieces of work share once, before both have ended', () => {
  const [setBusy, work] = [busyTime(), new WorkTime()];
  const ends = [work.begin('a'), work.begin('a')];
  setBusy(300);
  ends[0]!();
  expect(work.look('a').count).toBe(300);
  setBusy(500);
  ends[1]!();
  expect(work.look('a').count).toBe(500);
});

it('ends a piece of work once', () => {
  const [setBusy, work] = [busyTime(), new WorkTime()];
  const ends = [work.begin('a'), work.begin('a')];
  ends[0]!();
  ends[0]!();
  setBusy(400);
  ends[1]!();
  expect(work.look('a').count).toBe(400);
});

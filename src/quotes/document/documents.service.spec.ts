import { describe, expect, it } from '@jest/globals';
import { CallerQueue } from './documents.service.js';

/** Pieces of work that end when the test says so. */
function startedIn(queue: CallerQueue) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const add = (caller: string, name: string) =>
    queue.run(caller, () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  return { started, ends, add };
}

describe('a queue by caller', () => {
  it('runs one piece at a time, and takes the callers in turn', async () => {
    const queue = new CallerQueue();
    const { started, ends, add } = startedIn(queue);
    const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'];
    const all = names.map((name) => add(name[0]!, name));
    expect([queue.length, queue.lengthOf('a'), queue.lengthOf('d')]).toEqual([6, 3, 0]);
    for (const [i, one] of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'].entries()) {
      expect(started[i]).toBe(one);
      expect(started).toHaveLength(i + 1);
      ends[i]!();
      expect(await all[names.indexOf(one)]).toBe(one);
    }
    expect([queue.length, queue.lengthOf('a')]).toEqual([0, 0]);
  });

  it('goes on after work that fails', async () => {
    const queue = new CallerQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('no paper')));
    const next = queue.run('a', () => Promise.resolve('printed'));
    await expect(failed).rejects.toThrow('no paper');
    expect([await next, queue.length]).toEqual(['printed', 0]);
  });
});

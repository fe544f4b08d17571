import { describe, expect, it } from '@jest/globals';
import { createHook, executionAsyncResource } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { Ambient } from './ambient.js';

/** Node 24 and later keep such values in one frame, which costs nothing; the others mark with them. */
const marks = Number.parseInt(process.versions.node) < 24;

describe('An ambient value', () => {
  it('is found by the work that was given it, and by no other at the same time', async () => {
    const name = new Ambient<string>();
    const read = async () => {
      await turn();
      return name.value;
    };
    const found = await Promise.all([name.around('a', read), read(), name.around('b', read)]);
    expect(found).toEqual(['a', undefined, 'b']);
    expect(name.value).toBeUndefined();
  });

  it('is that of the innermost work, and then of the outer one again', async () => {
    const name = new Ambient<string>();
    const found = await name.around('outer', async () => {
      const inner = await name.around('inner', async () => (await turn(), name.value));
      return [inner, name.value];
    });
    expect(found).toEqual(['inner', 'outer']);
  });

  it('is gone when the work has failed', async () => {
    const name = new Ambient<string>();
    await expect(name.around('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(name.value).toBeUndefined();
  });

  it('lasts beyond the call until it is left', async () => {
    const name = new Ambient<string>();
    let later: Promise<string | undefined> | undefined;
    const leave = name.enter('a', () => {
      later = turn().then(() => name.value);
    });
    expect(await later).toBe('a');
    leave();
    expect(name.value).toBeUndefined();
  });

  (marks ? it : it.skip)('costs nothing else anything when no work is in it', async () => {
    const name = new Ambient<string>();
    const count = async () => {
      await turn();
      return Object.getOwnPropertySymbols(executionAsyncResource()).length;
    };
    // A hook that does nothing has Node make the objects that are looked at.
    const hook = createHook({ init() {} }).enable();
    try {
      const inside = await name.around('a', count);
      expect(await count()).toBe(inside - 1);
    } finally {
      hook.disable();
    }
  });
});

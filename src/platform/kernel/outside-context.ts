import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs `work` outside any async context. Work that several callers share must not inherit the deadline,
 * transaction or trace of one of them.
 */
export const outsideContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs `work` outside any caller's async context. Work that several callers share must not inherit one
 * caller's deadline, open transaction or trace.
 */
export const outsideContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/** Replaces `@jest/globals`, which works only in modules that jest itself loads. */
const globals = globalThis[Symbol.for('globals of the test file')];

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
  globals;

import { expect, it } from '@jest/globals';
import { isDatabaseOutage, outageCause } from './errors.js';

it.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'])(
  'the database is unavailable where its name has no address: %s',
  (code) => {
    const error = Object.assign(new Error(`getaddrinfo ${code} database.example`), { code });
    expect(isDatabaseOutage(error)).toBe(true);
    expect(outageCause(error)).toBe('name');
  },
);

import { describe, expect, it, test } from '@jest/globals';
import { countHeader, traceIdOf } from './request-id.js';

it.each([
  [0, []],
  [0, ['Host', 'authorization', 'X-Authorization', 'a']],
  [1, ['Host', 'x', 'Authorization', 'a']],
  [1, ['AUTHORIZATION', 'Authorization']],
  [2, ['authorization', 'a', 'Accept', 'b', 'Authorization', 'a']],
])('finds %d Authorization headers in %j', (count, rawHeaders) => {
  expect(countHeader(rawHeaders, 'authorization')).toBe(count);
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const request = '8cc32ad4-0d74-4d9f-8f05-1e33c1b1e1a3';
const own = '8cc32ad40d744d9f8f051e33c1b1e1a3';

describe('the trace of a request', () => {
  test.each([
    `00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-00`,
    `01-${traceId}-${spanId}-01-more`,
  ])('is that of its caller: %s', (header) => {
    expect(traceIdOf(request, header)).toBe(traceId);
  });

  it('has the digits of the id of the request if the caller has none', () => {
    expect(traceIdOf(request, undefined)).toBe(own);
  });

  test.each([
    ['two', 'headers'],
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01\r\n`,
    `01-${traceId}-${spanId}-01-${'x'.repeat(500)}`,
  ])('ignores the invalid header %j', (header) => {
    expect(traceIdOf(request, header)).toBe(own);
  });
});

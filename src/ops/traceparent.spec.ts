import { describe, expect, it, test } from '@jest/globals';
import { readTraceParent } from './traceparent.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('names the trace, the span of the caller, and whether it is recorded', () => {
    expect(readTraceParent(`00-${traceId}-${spanId}-01`)).toEqual({
      traceId,
      spanId,
      sampled: true,
    });
    expect(readTraceParent(`00-${traceId}-${spanId}-00`)?.sampled).toBe(false);
  });

  it('of a later version is read as far as it is known', () => {
    expect(readTraceParent(`01-${traceId}-${spanId}-01-more`)?.traceId).toBe(traceId);
  });

  test.each([
    undefined,
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
  ])('is not believed where it is %j', (header) => {
    expect(readTraceParent(header)).toBeUndefined();
  });
});

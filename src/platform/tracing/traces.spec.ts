import { describe, expect, it, test } from '@jest/globals';
import { readTraceParent, traceOf, traceParent } from './traces.js';

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

describe('the trace of a request', () => {
  const request = '8cc32ad4-0d74-4d9f-8f05-1e33c1b1e1a3';

  it('is its own where the caller has none', () => {
    const trace = traceOf(request, undefined);
    expect(trace).toEqual({
      traceId: '8cc32ad40d744d9f8f051e33c1b1e1a3',
      spanId: '8f051e33c1b1e1a3',
      parentSpanId: undefined,
      sampled: undefined,
    });
    expect(readTraceParent(traceParent(trace, true))).toMatchObject({ sampled: true });
  });

  it('goes on with the one that the caller has begun', () => {
    const trace = traceOf(request, `00-${traceId}-${spanId}-00`);
    expect(trace).toMatchObject({ traceId, parentSpanId: spanId, sampled: false });
    expect(traceParent(trace, false)).toBe(`00-${traceId}-8f051e33c1b1e1a3-00`);
  });
});

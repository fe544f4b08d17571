import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { isSampled, otlpBody, readOtlpHeaders, type TraceSpan } from './otlp.js';

const span: TraceSpan = {
  name: 'GET /x',
  kind: 'server',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: undefined,
  began: 1_763_700_000_000.125,
  ended: 1_763_700_000_001,
  attributes: { 'http.route': '/x', 'http.response.status_code': 200, nothing: undefined },
};

const spansOf = (body: string) =>
  (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: object[] }[] }[] }).resourceSpans[0]!
    .scopeSpans[0]!.spans;

describe('a span in OTLP', () => {
  it('has ids in hexadecimal, and integers as texts', () => {
    expect(spansOf(otlpBody([span], {}))).toEqual([
      {
        traceId: span.traceId,
        spanId: span.spanId,
        name: 'GET /x',
        kind: 2,
        startTimeUnixNano: '1763700000000125000',
        endTimeUnixNano: '1763700000001000000',
        attributes: [
          { key: 'http.route', value: { stringValue: '/x' } },
          { key: 'http.response.status_code', value: { intValue: '200' } },
        ],
        status: {},
      },
    ]);
  });

  it('names its parent, and what went wrong', () => {
    const failed = { ...span, kind: 'client' as const, parentSpanId: 'aa', failure: 'unavailable' };
    expect(spansOf(otlpBody([failed], {}))[0]).toMatchObject({
      parentSpanId: 'aa',
      kind: 3,
      status: { code: 2, message: 'unavailable' },
    });
  });
});

test('a trace is kept by its own id, as often as the ratio says', () => {
  const hex = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(hex, (digits) => {
      const id = digits.join('');
      expect([isSampled(id, 0), isSampled(id, 1)]).toEqual([false, true]);
      expect(isSampled(id, 0.25)).toBe(parseInt(id.slice(19, 20), 16) < 4);
    }),
  );
});

test.each([
  ['api-key=secret', { 'api-key': 'secret' }],
  ['A=1, b=x%20y%2Cz', { a: '1', b: 'x y,z' }],
  ['Authorization=Basic%20YTpi==', { authorization: 'Basic YTpi==' }],
  ['empty=', { empty: '' }],
  ['', undefined],
  ['x', undefined],
  ['=x', undefined],
  ['a=%E0%A4', undefined],
  ['a b=1', undefined],
])('headers for the collector, %j', (text, expected) => {
  expect(readOtlpHeaders(text)).toEqual(expected);
});

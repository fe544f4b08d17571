import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BOUNDS, RequestTimes, DurationHistogram } from './request-log.service.js';

test('a bucket counts every duration up to its bound', () => {
  const times = fc.array(fc.double({ min: 0, max: 20, noNaN: true }));
  fc.assert(
    fc.property(times, (seconds) => {
      const series = new DurationHistogram();
      for (const time of seconds) series.observe(time);
      const { buckets, sum, count } = series.read();
      expect(count).toBe(seconds.length);
      expect(sum).toBeCloseTo(seconds.reduce((a, b) => a + b, 0));
      expect(buckets).toEqual([
        ...BOUNDS.map((bound) => [String(bound), seconds.filter((time) => time <= bound).length]),
        ['+Inf', seconds.length],
      ]);
    }),
  );
});

test('each method, route and status has its own series', () => {
  const times = new RequestTimes();
  times.observe('GET', '/a', 200, 0.1);
  times.observe('GET', '/a', 200, 0.2);
  times.observe('GET', '/a', 404, 0.1);
  times.observe('POST', '/a', 200, 0.1);
  expect(times.all().map(({ kind, series }) => [kind, series.read().count])).toEqual([
    [{ method: 'GET', route: '/a', status: 200 }, 2],
    [{ method: 'GET', route: '/a', status: 404 }, 1],
    [{ method: 'POST', route: '/a', status: 200 }, 1],
  ]);
});

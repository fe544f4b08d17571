import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { clipped, countAxis, textWidth, runsOf } from './chart-scale.js';
import { Bars, Columns, HeatMap, Lines, NARROW, WIDE } from './charts.js';
import { type ChartSeries, seriesColours } from './report-table.js';

const about = { id: 'x', title: 'Title <b>', description: 'Text' };
const series: readonly ChartSeries[] = [
  { series: 's1', name: 'One' },
  { series: 's4', name: 'Two' },
];
const plot = { ...about, series, format: String };
/** The wide drawing and the narrow one. */
const drawn = (drawing: VNode) => {
  const both = renderToString(drawing).match(/<svg.*?<\/svg>/gs) ?? [];
  expect(both).toHaveLength(2);
  return both;
};
const numbersOf = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, text]) => Number(text));

const points = (values: readonly (readonly (number | null)[])[]) =>
  values.map((of, i) => ({ label: `${i + 1} Nov`, values: of }));

const cases: readonly [string, VNode][] = [
  ['no bars', <Bars {...about} series={series} bars={[]} />],
  [
    'bars',
    <Bars
      {...about}
      series={series}
      bars={[
        { label: 'A', values: [10, 0], text: '10' },
        {
          label: 'A very long name of a thing that was ordered, with more words',
          values: [1, 2],
          text: '3',
        },
      ]}
    />,
  ],
  ['no columns', <Columns {...plot} axis={countAxis([])} points={[]} />],
  ['one column', <Columns {...plot} axis={countAxis([1])} points={points([[1, 0]])} />],
  [
    'only zeros',
    <Columns
      {...plot}
      axis={countAxis([0])}
      points={points([
        [0, 0],
        [0, 0],
      ])}
    />,
  ],
  [
    '400 columns',
    <Columns
      {...plot}
      axis={countAxis([9e8])}
      points={points(Array.from({ length: 400 }, (_, i) => [i * 2_000_000, 9e8]))}
    />,
  ],
  ['no line', <Lines {...plot} axis={countAxis([])} points={[]} />],
  ['a line of one point', <Lines {...plot} axis={countAxis([3])} points={points([[3, null]])} />],
  [
    'a line with gaps',
    <Lines
      {...plot}
      axis={countAxis([9])}
      points={points([
        [9, 1],
        [null, 2],
        [0, 3],
      ])}
    />,
  ],
  [
    'a heat map',
    <HeatMap
      {...about}
      rows={[{ label: 'Mon' }]}
      columns={[{ label: '00' }, { label: '01' }]}
      valueAt={(_r, c) => c * 7}
      bounds={[1, 5]}
    />,
  ],
];

describe.each(cases)('%s', (_name, drawing) => {
  it('is drawn for two widths, each within its own frame and named by unique ids', () => {
    const ids: string[] = [];
    for (const [i, svg] of drawn(drawing).entries()) {
      const [, width, height] = /viewBox="0 0 (\d+) ([\d.]+)"/.exec(svg) ?? [];
      expect(Number(width)).toBe([WIDE, NARROW][i]);
      expect(svg).not.toMatch(/NaN|Infinity|undefined|style=/);
      const rects = [...svg.matchAll(/<rect[^>]*>/g)].map(([rect]) => rect);
      for (const rect of rects) {
        const [x, y, w, h] = ['x', 'y', 'width', 'height'].map((name) => numbersOf(rect, name)[0]!);
        expect(Math.min(x!, y!, w!, h!)).toBeGreaterThanOrEqual(0);
        expect(x! + w!).toBeLessThanOrEqual(Number(width) + 1);
        expect(y! + h!).toBeLessThanOrEqual(Number(height) + 1);
      }
      const named = /aria-labelledby="([^"]*)"/.exec(svg)![1]!.split(' ');
      for (const id of named) expect(svg).toContain(`id="${id}"`);
      ids.push(...named);
    }
    expect(new Set(ids).size).toBe(4);
  });

  it('has no labels that touch', () => {
    for (const svg of drawn(drawing)) {
      const labels = [...svg.matchAll(/<text class="tick middle" x="([^"]*)"[^>]*>([^<]*)</g)];
      let end = -Infinity;
      for (const [, x, text] of labels) {
        const half = textWidth(text!) / 2;
        expect(Number(x) - half).toBeGreaterThan(end);
        end = Number(x) + half;
      }
    }
  });
});

it('a chart escapes its texts', () => {
  const [wide] = drawn(
    <Bars {...about} series={series} bars={[{ label: '<i>', values: [1], text: '"&' }]} />,
  );
  expect(wide).not.toMatch(/<[ib]>/);
  expect(wide).toContain('&lt;i>');
});

it('the style sheet has a different colour for each series', () => {
  const sheet = readFileSync('src/platform/ui/assets/30-reports.css', 'utf8');
  const rules = [...sheet.matchAll(/^([^\s@}][^{]*)\{([^}]*)\}/gm)];
  const valueOf = (name: string, colour: string) =>
    rules
      .filter(([, selector = '']) => selector.split(/[\s,()]+/).includes(`.${colour}`))
      .flatMap(([, , body = '']) => new RegExp(`\\s${name}: ([^;]*)`).exec(body)?.[1] ?? [])
      .at(-1);
  const colours = new Set(seriesColours.map((colour) => valueOf('color', colour)));
  expect([colours.has(undefined), colours.size]).toEqual([false, seriesColours.length]);
  for (const colour of seriesColours) expect(valueOf('fill', colour)).toBe('currentcolor');
});

it('columns show even the smallest value next to the largest', () => {
  const [wide] = drawn(<Columns {...plot} axis={countAxis([1e9])} points={points([[1, 1e9]])} />);
  const heights = [...wide!.matchAll(/<rect[^>]*height="([^"]*)"/g)].map(([, text]) =>
    Number(text),
  );
  expect(heights).toEqual([1, 150]);
});

test.each([
  [[], []],
  [[null, null], []],
  [[1], [[1]]],
  [
    [1, 2, null, 3],
    [[1, 2], [3]],
  ],
  [[null, 0, null], [[0]]],
])('the runs of %j are %j', (values, runs) => {
  expect(runsOf(values).map((run) => run.map(({ value }) => value))).toEqual(runs);
});

test.each([
  ['Short', 100, 'Short'],
  ['Much too long for it', 60, 'Much too…'],
  ['Long', 1, 'L…'],
])('%s within %d is %s', (text, room, shown) => {
  expect(clipped(text, room)).toBe(shown);
});

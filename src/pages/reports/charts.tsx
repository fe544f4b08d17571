import type { ComponentChildren } from 'preact';
import { along, type Axis, classOf, everyNth, round, textWidth } from './chart-scale.js';

/** Units of a drawing's width: where there is room, and on a telephone. The text stays 12 units. */
export const WIDE = 560;
export const NARROW = 288;

interface FrameProps {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** What a person who does not see it should know: the main thing that it shows. */
  readonly description: string;
  readonly children: ComponentChildren;
}

function Frame({ id, width, height, title, description, children }: FrameProps) {
  const own = `${id}-${width}`;
  return (
    <svg
      class={`chart ${width === NARROW ? 'narrow' : 'wide'}`}
      role="img"
      viewBox={`0 0 ${width} ${height}`}
      aria-labelledby={`${own}-title ${own}-text`}
    >
      <title id={`${own}-title`}>{title}</title>
      <desc id={`${own}-text`}>{description}</desc>
      {children}
    </svg>
  );
}

interface ChartProps {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** The same drawing twice, for wide and for narrow places; the style sheet shows one of them. */
function Both({ draw }: { draw: (width: number) => ComponentChildren }) {
  return (
    <div class="drawing">
      {draw(WIDE)}
      {draw(NARROW)}
    </div>
  );
}

/** What a colour stands for: `series` is the class of the style sheet. */
export interface Series {
  readonly series: string;
  readonly name: string;
}

/** Beside a drawing of several series. */
export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul class="legend bare">
      {series.map((one) => (
        <li>
          <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true">
            <rect class={one.series} x="0.5" y="0.5" width="11" height="11" rx="2" />
          </svg>
          {one.name}
        </li>
      ))}
    </ul>
  );
}

export interface Bar {
  readonly label: string;
  /** Drawn one after the other, in the order of the series. */
  readonly values: readonly number[];
  /** At the end of the bar; it is the value in words. */
  readonly text: string;
}

/** Bars that lie: one a row, its label before it, or above it where there is little room. */
export function Bars(
  props: ChartProps & { bars: readonly Bar[]; series: readonly Series[]; axis: Axis },
) {
  const { bars, series, axis, ...frame } = props;
  const textRoom = Math.max(...bars.map(({ text }) => textWidth(text)), 0) + 12;
  const labelRoom = Math.max(...bars.map(({ label }) => textWidth(label)), 0) + 12;
  return (
    <Both
      draw={(width) => {
        const above = width === NARROW;
        const left = above ? 0 : Math.min(labelRoom, width * 0.4);
        const row = above ? 38 : 28;
        const length = width - left - textRoom;
        return (
          <Frame {...frame} width={width} height={bars.length * row + 4}>
            {bars.map(({ label, values, text }, i) => {
              const top = i * row + (above ? 18 : 6);
              const end = left + sum(values.map((value) => along(axis, value, length)));
              return (
                <g>
                  <text class="label" x={above ? 0 : left - 10} y={above ? top - 5 : top + 13}>
                    {clipped(label, above ? width : left - 12)}
                  </text>
                  <rect class="track" x={left} y={top} width={round(length)} height="16" rx="2" />
                  <Parts {...{ values, series, axis, left, top, length }} />
                  <text class="value" x={round(end + 6)} y={top + 13}>
                    {text}
                  </text>
                </g>
              );
            })}
          </Frame>
        );
      }}
    />
  );
}

function Parts(props: {
  values: readonly number[];
  series: readonly Series[];
  axis: Axis;
  left: number;
  top: number;
  length: number;
}) {
  const { values, series, axis, left, top, length } = props;
  let x = left;
  return values.map((value, i) => {
    const width = along(axis, value, length);
    const at = x;
    x += width;
    if (value <= 0) return null;
    const { series: name = '', name: words = '' } = series[i] ?? {};
    return (
      <rect
        class={`part ${name}`}
        x={round(at)}
        y={top}
        width={Math.max(width, 1)}
        height="16"
        rx="2"
      >
        <title>{`${words}: ${value}`}</title>
      </rect>
    );
  });
}

interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const PLOT_HEIGHT = 150;

function plotOf(width: number, axis: Axis, format: (value: number) => string): Plot {
  const left = Math.max(...axis.ticks.map((tick) => textWidth(format(tick)))) + 8;
  return { left, top: 10, width: width - left - 8, height: PLOT_HEIGHT };
}

/** Height of a drawing with an axis below. */
const FULL_HEIGHT = PLOT_HEIGHT + 10 + 26;

function Scale({ plot, axis, format }: { plot: Plot; axis: Axis; format: (v: number) => string }) {
  return axis.ticks.map((tick) => {
    const y = round(plot.top + plot.height - along(axis, tick, plot.height));
    return (
      <>
        <line
          class={tick === 0 ? 'base' : 'grid'}
          x1={plot.left}
          x2={plot.left + plot.width}
          y1={y}
          y2={y}
        />
        <text class="tick end" x={plot.left - 8} y={y + 4}>
          {format(tick)}
        </text>
      </>
    );
  });
}

/** Labels below: days read well by the week. */
function Below(props: { plot: Plot; labels: readonly string[]; step: number }) {
  const { plot, labels, step } = props;
  const widest = Math.max(...labels.map(textWidth), 0);
  const nth = everyNth(labels.length, step, widest, [1, 2, 7, 14, 28, 56, 91, 182]);
  return labels.map((label, i) => {
    if (i % nth !== 0) return null;
    const middle = plot.left + (i + 0.5) * step;
    const half = textWidth(label) / 2;
    const x = Math.min(Math.max(middle, half), plot.left + plot.width + 8 - half);
    return (
      <text class="tick middle" x={round(x)} y={plot.top + plot.height + 18}>
        {label}
      </text>
    );
  });
}

export interface Point {
  /** Below the axis. */
  readonly label: string;
  /** Whole, for the pointer; the label, if left out. */
  readonly name?: string;
  /** One a series; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface PlotProps extends ChartProps {
  readonly points: readonly Point[];
  readonly series: readonly Series[];
  readonly axis: Axis;
  readonly format: (value: number) => string;
}

/** Columns that stand, those of a point beside each other. */
export function Columns({ points, series, axis, format, ...frame }: PlotProps) {
  return (
    <Both
      draw={(width) => {
        const plot = plotOf(width, axis, format);
        const step = plot.width / Math.max(1, points.length);
        const group = Math.min(step * 0.8, 26 * series.length);
        const one = group / series.length;
        return (
          <Frame {...frame} width={width} height={FULL_HEIGHT}>
            <Scale plot={plot} axis={axis} format={format} />
            {points.map(({ label, name = label, values }, i) => {
              const left = plot.left + i * step + (step - group) / 2;
              return values.map((value, k) => {
                if (!value) return null;
                const height = Math.max(1, along(axis, value, plot.height));
                return (
                  <rect
                    class={series[k]?.series}
                    x={round(left + k * one)}
                    y={round(plot.top + plot.height - height)}
                    width={Math.max(0.5, round(one - (one > 4 ? 1 : 0)))}
                    height={height}
                  >
                    <title>{`${name}, ${series[k]?.name ?? ''}: ${format(value)}`}</title>
                  </rect>
                );
              });
            })}
            <Below plot={plot} labels={points.map(({ label }) => label)} step={step} />
          </Frame>
        );
      }}
    />
  );
}

/** Lines from point to point, broken where a value is missing. */
export function Lines({ points, series, axis, format, ...frame }: PlotProps) {
  return (
    <Both
      draw={(width) => {
        const plot = plotOf(width, axis, format);
        const step = plot.width / Math.max(1, points.length);
        const place = (value: number, i: number): [number, number] => [
          round(plot.left + (i + 0.5) * step),
          round(plot.top + plot.height - along(axis, value, plot.height)),
        ];
        return (
          <Frame {...frame} width={width} height={FULL_HEIGHT}>
            <Scale plot={plot} axis={axis} format={format} />
            {series.map(({ series: style, name }, k) => {
              const values = points.map((point) => point.values[k] ?? null);
              return (
                <g class={style}>
                  {runsOf(values).map((run) => (
                    <polyline
                      class="line"
                      points={run.map(({ value, i }) => place(value, i).join(',')).join(' ')}
                    />
                  ))}
                  {dotsOf(values).map(({ value, i }) => {
                    const [cx, cy] = place(value, i);
                    return (
                      <circle class="dot" cx={cx} cy={cy} r="3.5">
                        <title>{`${points[i]?.name ?? points[i]?.label}, ${name}: ${format(value)}`}</title>
                      </circle>
                    );
                  })}
                </g>
              );
            })}
            <Below plot={plot} labels={points.map(({ label }) => label)} step={step} />
          </Frame>
        );
      }}
    />
  );
}

interface Placed {
  readonly value: number;
  readonly i: number;
}

/** Values without a gap between them. */
export function runsOf(values: readonly (number | null)[]): Placed[][] {
  const runs: Placed[][] = [];
  let open = false;
  for (const [i, value] of values.entries()) {
    if (value === null) {
      open = false;
      continue;
    }
    if (open) runs.at(-1)!.push({ value, i });
    else runs.push([{ value, i }]);
    open = true;
  }
  return runs;
}

/** More dots than this run into each other: then only those of a value that stands alone. */
const MOST_DOTS = 31;

function dotsOf(values: readonly (number | null)[]): Placed[] {
  const runs = runsOf(values);
  return values.length <= MOST_DOTS ? runs.flat() : runs.filter((run) => run.length === 1).flat();
}

interface HeatMapProps extends ChartProps {
  readonly rows: readonly { readonly label: string; readonly name: string }[];
  readonly columns: readonly { readonly label: string; readonly name: string }[];
  readonly valueAt: (row: number, column: number) => number;
  /** Lower bounds of the classes. */
  readonly bounds: readonly number[];
}

/** Cells in rows and columns, the darker the more. */
export function HeatMap({ rows, columns, valueAt, bounds, ...frame }: HeatMapProps) {
  const left = Math.max(...rows.map(({ label }) => textWidth(label))) + 8;
  return (
    <Both
      draw={(width) => {
        const cell = (width - left) / columns.length;
        const height = Math.min(22, Math.max(18, cell));
        const nth = everyNth(columns.length, cell, textWidth('00'), [1, 2, 3, 6, 12]);
        return (
          <Frame {...frame} width={width} height={round(rows.length * height + 22)}>
            {rows.map((row, r) => (
              <g>
                <text class="tick" x="0" y={round(r * height + height / 2 + 4)}>
                  {row.label}
                </text>
                {columns.map((column, c) => {
                  const value = valueAt(r, c);
                  return (
                    <rect
                      class={`cell q${classOf(value, bounds)}`}
                      x={round(left + c * cell)}
                      y={round(r * height)}
                      width={round(cell - 1)}
                      height={round(height - 1)}
                      rx="2"
                    >
                      {value > 0 && <title>{`${row.name}, ${column.name}: ${value}`}</title>}
                    </rect>
                  );
                })}
              </g>
            ))}
            {columns.map(({ label }, c) =>
              c % nth === 0 ? (
                <text
                  class="tick middle"
                  x={round(left + (c + 0.5) * cell)}
                  y={round(rows.length * height + 15)}
                >
                  {label}
                </text>
              ) : null,
            )}
          </Frame>
        );
      }}
    />
  );
}

/** Cut so that it fits, with a mark that it was. */
export function clipped(text: string, room: number): string {
  if (textWidth(text) <= room) return text;
  const most = Math.max(1, Math.floor(room / 6.6) - 1);
  return `${text.slice(0, most).trimEnd()}…`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

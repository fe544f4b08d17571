import type { ComponentChildren } from 'preact';
import {
  along,
  type Axis,
  classOf,
  compact,
  countAxis,
  everyNth,
  round,
  sum,
  textWidth,
} from './chart-scale.js';

/** Units of a drawing's width: where there is room, and on a telephone. The text stays 12 units. */
export const WIDE = 560;
export const NARROW = 288;

interface ChartProps {
  readonly id: string;
  readonly title: string;
  /** What a person who does not see it should know: the main thing that it shows. */
  readonly description: string;
}

interface DrawingProps extends ChartProps {
  readonly heightOf: (width: number) => number;
  readonly draw: (width: number) => ComponentChildren;
}

/** The same drawing twice, for wide and for narrow places; the style sheet shows one of them. */
function Drawing({ id, title, description, heightOf, draw }: DrawingProps) {
  return (
    <div class="drawing">
      {[WIDE, NARROW].map((width) => {
        const own = `${id}-${width}`;
        return (
          <svg
            class={`chart ${width === NARROW ? 'narrow' : 'wide'}`}
            role="img"
            viewBox={`0 0 ${width} ${heightOf(width)}`}
            aria-labelledby={`${own}-title ${own}-text`}
          >
            <title id={`${own}-title`}>{title}</title>
            <desc id={`${own}-text`}>{description}</desc>
            {draw(width)}
          </svg>
        );
      })}
    </div>
  );
}

/** What a colour stands for: `series` is the class of the style sheet. */
export interface ChartSeries {
  readonly series: string;
  readonly name: string;
}

export function Legend({ series }: { series: readonly ChartSeries[] }) {
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
export function Bars(props: ChartProps & { bars: readonly Bar[]; series: readonly ChartSeries[] }) {
  const { bars, series, ...frame } = props;
  const axis = countAxis(bars.map(({ values }) => sum(values)));
  const textRoom = Math.max(...bars.map(({ text }) => textWidth(text)), 0) + 12;
  const labelRoom = Math.max(...bars.map(({ label }) => textWidth(label)), 0) + 12;
  const rowOf = (width: number) => (width === NARROW ? 38 : 28);
  const draw = (width: number) => {
    const above = width === NARROW;
    const left = above ? 0 : Math.min(labelRoom, width * 0.4);
    const length = width - left - textRoom;
    return bars.map(({ label, values, text }, i) => {
      const top = i * rowOf(width) + (above ? 18 : 6);
      const widths = values.map((value) => along(axis, value, length));
      return (
        <g>
          <text class="label" x={above ? 0 : left - 10} y={above ? top - 5 : top + 13}>
            {clipped(label, above ? width : left - 12)}
          </text>
          <rect class="track" x={left} y={top} width={round(length)} height="16" rx="2" />
          {values.map((value, k) => {
            if (value <= 0) return null;
            const { series: style = '', name = '' } = series[k] ?? {};
            const x = round(left + sum(widths.slice(0, k)));
            const part = { x, y: top, width: Math.max(widths[k]!, 1), height: 16, rx: 2 };
            return (
              <rect class={`part ${style}`} {...part}>
                <title>{`${name}: ${value}`}</title>
              </rect>
            );
          })}
          <text class="value" x={round(left + sum(widths) + 6)} y={top + 13}>
            {text}
          </text>
        </g>
      );
    });
  };
  return <Drawing {...frame} heightOf={(width) => bars.length * rowOf(width) + 4} draw={draw} />;
}

export interface Point {
  readonly label: string;
  /** Whole, for the pointer; the label, if left out. */
  readonly name?: string;
  /** One a series; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface PlotProps extends ChartProps {
  readonly points: readonly Point[];
  readonly series: readonly ChartSeries[];
  readonly axis?: Axis;
  readonly format?: (value: number) => string;
}

interface PlotScale {
  readonly step: number;
  readonly xOf: (point: number) => number;
  readonly heightOf: (value: number) => number;
  readonly yOf: (value: number) => number;
}

/** The top of a plot, and the height below it; then come the labels. */
const PLOT_TOP = 10;
const PLOT_HEIGHT = 150;

/** Points along an axis with a scale at its left: the frame of columns and of lines. */
function Plot(props: PlotProps & { draw: (scale: PlotScale) => ComponentChildren }) {
  const { id, title, description, points, format = compact, draw } = props;
  const { axis = countAxis(points.flatMap(({ values }) => values.map(Number))) } = props;
  const left = Math.max(...axis.ticks.map((tick) => textWidth(format(tick)))) + 8;
  const labels = points.map(({ label }) => label);
  const widest = Math.max(...labels.map(textWidth), 0);
  const drawFrame = (width: number) => {
    const right = width - 8;
    const step = (right - left) / Math.max(1, points.length);
    const heightOf = (value: number) => along(axis, value, PLOT_HEIGHT);
    const yOf = (value: number) => round(PLOT_TOP + PLOT_HEIGHT - heightOf(value));
    const xOf = (point: number) => left + (point + 0.5) * step;
    // Days read well by the week.
    const nth = everyNth(labels.length, step, widest, [1, 2, 7, 14, 28, 56, 91, 182]);
    return (
      <>
        {axis.ticks.map((tick) => (
          <>
            <line
              class={tick === 0 ? 'base' : 'grid'}
              x1={left}
              x2={right}
              y1={yOf(tick)}
              y2={yOf(tick)}
            />
            <text class="tick end" x={left - 8} y={yOf(tick) + 4}>
              {format(tick)}
            </text>
          </>
        ))}
        {draw({ step, xOf, heightOf, yOf })}
        {labels.map((label, i) => {
          if (i % nth !== 0) return null;
          const half = textWidth(label) / 2;
          const x = Math.min(Math.max(xOf(i), half), width - half);
          return (
            <text class="tick middle" x={round(x)} y={PLOT_TOP + PLOT_HEIGHT + 18}>
              {label}
            </text>
          );
        })}
      </>
    );
  };
  const height = PLOT_TOP + PLOT_HEIGHT + 26;
  return <Drawing {...{ id, title, description }} heightOf={() => height} draw={drawFrame} />;
}

/** What the pointer shows of a value: "21 Nov, Arrived: 4". */
function titleOf({ label, name = label }: Point, series: ChartSeries | undefined, value: string) {
  return <title>{`${name}, ${series?.name ?? ''}: ${value}`}</title>;
}

/** Columns that stand, those of a point beside each other. */
export function Columns(props: PlotProps) {
  const { points, series, format = compact } = props;
  const draw = ({ step, xOf, heightOf, yOf }: PlotScale) => {
    const group = Math.min(step * 0.8, 26 * series.length);
    const one = group / series.length;
    return points.map((point, i) =>
      point.values.map((value, k) => {
        if (!value) return null;
        const height = Math.max(1, heightOf(value));
        return (
          <rect
            class={series[k]?.series}
            x={round(xOf(i) - group / 2 + k * one)}
            y={Math.min(yOf(value), yOf(0) - height)}
            width={Math.max(0.5, round(one - (one > 4 ? 1 : 0)))}
            height={height}
          >
            {titleOf(point, series[k], format(value))}
          </rect>
        );
      }),
    );
  };
  return <Plot {...props} draw={draw} />;
}

/** Lines from point to point, broken where a value is missing. */
export function Lines(props: PlotProps) {
  const { points, series, format = compact } = props;
  const draw = ({ xOf, yOf }: PlotScale) =>
    series.map((one, k) => {
      const values = points.map((point) => point.values[k] ?? null);
      const line = (run: PlotPoint[]) =>
        run.map(({ value, i }) => `${round(xOf(i))},${yOf(value)}`).join(' ');
      return (
        <g class={one.series}>
          {runsOf(values).map((run) => (
            <polyline class="line" points={line(run)} />
          ))}
          {dotsOf(values).map(({ value, i }) => (
            <circle class="dot" cx={round(xOf(i))} cy={yOf(value)} r="3.5">
              {titleOf(points[i]!, one, format(value))}
            </circle>
          ))}
        </g>
      );
    });
  return <Plot {...props} draw={draw} />;
}

interface PlotPoint {
  readonly value: number;
  readonly i: number;
}

export function runsOf(values: readonly (number | null)[]): PlotPoint[][] {
  const runs: PlotPoint[][] = [];
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

function dotsOf(values: readonly (number | null)[]): PlotPoint[] {
  const runs = runsOf(values);
  return values.length <= MOST_DOTS ? runs.flat() : runs.filter((run) => run.length === 1).flat();
}

interface HeatMapProps extends ChartProps {
  readonly rows: readonly { readonly label: string; readonly name: string }[];
  readonly columns: readonly { readonly label: string; readonly name: string }[];
  readonly valueAt: (row: number, column: number) => number;
  readonly bounds: readonly number[];
}

/** Cells in rows and columns, the darker the more. */
export function HeatMap({ rows, columns, valueAt, bounds, ...frame }: HeatMapProps) {
  const left = Math.max(...rows.map(({ label }) => textWidth(label))) + 8;
  const cellOf = (width: number) => (width - left) / columns.length;
  const rowOf = (width: number) => Math.min(22, Math.max(18, cellOf(width)));
  const draw = (width: number) => {
    const [cell, height] = [cellOf(width), rowOf(width)];
    const nth = everyNth(columns.length, cell, textWidth('00'), [1, 2, 3, 6, 12]);
    return (
      <>
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
        {columns.map(({ label }, c) => {
          if (c % nth !== 0) return null;
          const [x, y] = [round(left + (c + 0.5) * cell), round(rows.length * height + 15)];
          return (
            <text class="tick middle" x={x} y={y}>
              {label}
            </text>
          );
        })}
      </>
    );
  };
  const heightOf = (width: number) => round(rows.length * rowOf(width) + 22);
  return <Drawing {...frame} heightOf={heightOf} draw={draw} />;
}

/** Cut so that it fits, with a mark that it was. */
export function clipped(text: string, room: number): string {
  if (textWidth(text) <= room) return text;
  const most = Math.max(1, Math.floor(room / 6.6) - 1);
  return `${text.slice(0, most).trimEnd()}…`;
}

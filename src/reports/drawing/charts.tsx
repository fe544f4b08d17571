import type { ComponentChildren } from 'preact';
import { sum } from '../report-figures.js';
import {
  along,
  type Axis,
  classOf,
  clipped,
  compact,
  countAxis,
  everyNth,
  round,
  type PlotPoint,
  runsOf,
  textWidth,
} from './chart-scale.js';
import type { ChartSeries } from './report-table.js';

/** Widths of a drawing on a desktop and on a phone, in units. Text is 12 units. */
export const WIDE = 560;
export const NARROW = 288;

interface ChartProps {
  readonly id: string;
  readonly title: string;
  /** The main message, for people who cannot see the chart. */
  readonly description: string;
}

interface DrawingProps extends ChartProps {
  readonly heightOf: (width: number) => number;
  readonly draw: (width: number) => ComponentChildren;
}

/** The drawing in both widths; the style sheet shows one of them. */
function Drawing({ id, title, description, heightOf, draw }: DrawingProps) {
  return (
    <div class="drawing">
      {[WIDE, NARROW].map((width) => {
        const drawingId = `${id}-${width}`;
        return (
          <svg
            class={`chart ${width === NARROW ? 'narrow' : 'wide'}`}
            role="img"
            viewBox={`0 0 ${width} ${heightOf(width)}`}
            aria-labelledby={`${drawingId}-title ${drawingId}-text`}
          >
            <title id={`${drawingId}-title`}>{title}</title>
            <desc id={`${drawingId}-text`}>{description}</desc>
            {draw(width)}
          </svg>
        );
      })}
    </div>
  );
}

interface LegendProps {
  readonly series: readonly {
    /** Classes of the style sheet that set the colour. */
    readonly series: string;
    readonly name: string;
    /** From 0 to 1: adds a bar to the swatch, for people who cannot tell the shades apart. */
    readonly level?: number;
  }[];
  readonly class?: string;
}

export function Legend(props: LegendProps) {
  return (
    <ul class={`legend bare ${props.class ?? ''}`}>
      {props.series.map(({ series, name, level }) => (
        <li>
          <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true">
            <rect class={series} x="0.5" y="0.5" width="11" height="11" rx="2" />
            {level !== undefined && <rect class="level" x="2" y="8" width={level * 8} height="2" />}
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

export function ShadeLegend({ classes }: { classes: readonly string[] }) {
  return (
    <Legend series={classes.map((name, i) => ({ series: `cell q${i}`, name }))} class="shades" />
  );
}

export interface Bar {
  readonly label: string;
  /** Stacked in the order of the series. */
  readonly values: readonly number[];
  /** The value in words, at the end of the bar. */
  readonly text: string;
}

/** More of the width than this is too much for the texts after the bars: then they are above. */
const MOST_TEXT = 0.3;

/** Horizontal bars with label and text: before and after the bar, or both above it where room is short. */
export function Bars(props: ChartProps & { bars: readonly Bar[]; series: readonly ChartSeries[] }) {
  const { bars, series, ...frame } = props;
  const axis = countAxis(bars.map(({ values }) => sum(values)));
  const textRoom = Math.max(...bars.map(({ text }) => textWidth(text)), 0) + 12;
  const labelRoom = Math.max(...bars.map(({ label }) => textWidth(label)), 0) + 12;
  const isAbove = (width: number) => width === NARROW || textRoom > width * MOST_TEXT;
  const rowOf = (width: number) => (width === NARROW ? 29 : isAbove(width) ? 40 : 28);
  const draw = (width: number) => {
    const [above, height] = [isAbove(width), width === NARROW ? 8 : 16];
    const left = above ? 0 : Math.min(labelRoom, width * 0.4);
    const length = width - left - (above ? 0 : textRoom);
    return bars.map(({ label, values, text }, i) => {
      const top = i * rowOf(width) + (above ? 18 : 6);
      const widths = values.map((value) => along(axis, value, length));
      const room = above ? width - textWidth(text) - 8 : left - 12;
      return (
        <g>
          <text class={above ? '' : 'end'} x={above ? 0 : left - 10} y={above ? top - 5 : top + 13}>
            {clipped(label, room)}
          </text>
          <rect class="track" x={left} y={top} width={round(length)} height={height} rx="2" />
          {values.map((value, k) => {
            if (value <= 0) return null;
            const style = series[k]?.series ?? '';
            const x = round(left + sum(widths.slice(0, k)));
            const part = { x, y: top, width: Math.max(widths[k]!, 1), height, rx: 2 };
            return <rect class={`part ${style}`} {...part} />;
          })}
          <text
            class={above ? 'value end' : 'value'}
            x={above ? width : round(left + sum(widths) + 6)}
            y={above ? top - 5 : top + 13}
          >
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
  /** One for each series; null for a missing value. */
  readonly values: readonly (number | null)[];
}

interface PlotProps extends ChartProps {
  readonly points: readonly Point[];
  readonly series: readonly ChartSeries[];
  readonly axis?: Axis;
  readonly format?: (value: number) => string;
  /** A value that is drawn across, with its name. */
  readonly target?: { readonly value: number; readonly name: string };
}

interface PlotScale {
  readonly step: number;
  readonly xOf: (point: number) => number;
  readonly yOf: (value: number) => number;
}

const PLOT_TOP = 18;
const roomOf = (width: number) => (width === NARROW ? 96 : 150);
/** Most points are days. */
const inDays = [1, 2, 7, 14, 28, 56, 91, 182];

/** The axes of columns and of lines. */
function Plot(props: PlotProps & { draw: (scale: PlotScale) => ComponentChildren }) {
  const { id, title, description, points, format = compact, target, draw } = props;
  const { axis = countAxis(points.flatMap(({ values }) => values.map(Number))) } = props;
  const left = Math.max(...axis.ticks.map((tick) => textWidth(format(tick)))) + 8;
  const labels = points.map(({ label }) => label);
  const drawFrame = (width: number) => {
    const [right, room] = [width - 8, roomOf(width)];
    const step = (right - left) / Math.max(1, points.length);
    const yOf = (value: number) => round(PLOT_TOP + room - along(axis, value, room));
    const xOf = (point: number) => left + (point + 0.5) * step;
    return (
      <>
        {axis.ticks.map((tick) => (
          <>
            <path class={tick === 0 ? 'base' : 'grid'} d={`M${left} ${yOf(tick)}H${right}`} />
            <text class="tick end" x={left - 8} y={yOf(tick) + 4}>
              {format(tick)}
            </text>
          </>
        ))}
        {target && (
          <>
            <path class="target" d={`M${left} ${yOf(target.value)}H${right}`} />
            <text class="tick" x={left + 4} y={yOf(target.value) - 4}>
              {target.name}
            </text>
          </>
        )}
        {draw({ step, xOf, yOf })}
        <Labels
          labels={labels}
          xOf={xOf}
          width={width}
          distances={inDays}
          y={PLOT_TOP + room + 18}
        />
      </>
    );
  };
  const heightOf = (width: number) => PLOT_TOP + roomOf(width) + 26;
  return (
    <Drawing id={id} title={title} description={description} heightOf={heightOf} draw={drawFrame} />
  );
}

interface LabelsProps {
  readonly labels: readonly string[];
  /** How many points the labels may be apart, ascending. */
  readonly distances: readonly number[];
  readonly xOf: (point: number) => number;
  readonly width: number;
  readonly y: number;
}

/** Labels below the points: every n-th, so that none touches the next. */
function Labels({ labels, distances, xOf, width, y }: LabelsProps) {
  const widest = Math.max(...labels.map(textWidth), 0);
  const nth = everyNth(labels.length, xOf(1) - xOf(0), widest, distances);
  return labels.map((label, i) => {
    if (i % nth !== 0) return null;
    const half = textWidth(label) / 2;
    const x = Math.min(Math.max(xOf(i), half), width - half);
    return (
      <text class="tick middle" x={round(x)} y={y}>
        {label}
      </text>
    );
  });
}

/**
 * Which values have room for a text: all, or only the highest and the last. The table below a chart has
 * every value.
 * @param step units between two values
 */
export function valuesShown(
  values: readonly (number | null)[],
  step: number,
  format: (value: number) => string,
): number[] {
  const drawn = values.flatMap((value, i) => (value ? [{ value, i }] : []));
  const widest = Math.max(0, ...drawn.map(({ value }) => textWidth(format(value))));
  if (step >= widest + 3) return drawn.map(({ i }) => i);
  const last = drawn.at(-1);
  if (!last) return [];
  const highest = drawn.reduce((a, b) => (b.value > a.value ? b : a));
  return (last.i - highest.i) * step > widest + 3 ? [highest.i, last.i] : [highest.i];
}

export function Columns(props: PlotProps) {
  const { points, series, format = compact } = props;
  const draw = ({ step, xOf, yOf }: PlotScale) => {
    const group = Math.min(step * 0.8, 26 * series.length);
    const one = group / series.length;
    return series.map(({ series: style }, k) => {
      const values = points.map((point) => point.values[k] ?? null);
      const shown = valuesShown(values, one === group ? step : one, format);
      const left = (i: number) => xOf(i) - group / 2 + k * one;
      return (
        <>
          {values.map((value, i) => {
            if (!value) return null;
            const height = Math.max(1, round(yOf(0) - yOf(value)));
            return (
              <rect
                class={style}
                x={round(left(i))}
                y={round(yOf(0) - height)}
                width={Math.max(0.5, round(one - (one > 4 ? 1 : 0)))}
                height={height}
              />
            );
          })}
          {shown.map((i) => (
            <text class="point-value" x={round(left(i) + one / 2)} y={yOf(values[i]!) - 4}>
              {format(values[i]!)}
            </text>
          ))}
        </>
      );
    });
  };
  return <Plot {...props} draw={draw} />;
}

/** More dots than this would overlap: then only values between two gaps get one. */
const MOST_DOTS = 31;

/** Lines with a gap at each missing value. */
export function Lines(props: PlotProps) {
  const { points, series, format = compact } = props;
  const draw = ({ step, xOf, yOf }: PlotScale) =>
    series.map((one, k) => {
      const values = points.map((point) => point.values[k] ?? null);
      const runs = runsOf(values);
      const width = xOf(points.length) + 8;
      const dots = runs.filter(({ length }) => points.length <= MOST_DOTS || length === 1).flat();
      const line = (run: PlotPoint[]) =>
        run.map(({ value, i }) => `${round(xOf(i))},${yOf(value)}`).join(' ');
      return (
        <g class={one.series}>
          {runs.map((run) => (
            <polyline class="line" points={line(run)} />
          ))}
          {dots.map(({ value, i }) => (
            <circle class="dot" cx={round(xOf(i))} cy={yOf(value)} r="3.5" />
          ))}
          {valuesShown(values, step, format).map((i) => {
            const text = format(values[i]!);
            const x = Math.min(xOf(i), width - textWidth(text) / 2 - step / 2);
            return (
              <text class="point-value" x={round(x)} y={yOf(values[i]!) - 7}>
                {text}
              </text>
            );
          })}
        </g>
      );
    });
  return <Plot {...props} draw={draw} />;
}

interface HeatMapProps extends ChartProps {
  readonly rows: readonly { readonly label: string }[];
  readonly columns: readonly { readonly label: string }[];
  readonly valueAt: (row: number, column: number) => number;
  readonly bounds: readonly number[];
}

/** A cell of this width has room for three digits. */
const LEAST_CELL = 20;

/** Cells in rows and columns; darker means more. */
export function HeatMap({ rows, columns, valueAt, bounds, ...frame }: HeatMapProps) {
  const labels = columns.map(({ label }) => label);
  const left = Math.max(...rows.map(({ label }) => textWidth(label))) + 8;
  const cellOf = (width: number) => (width - left) / columns.length;
  const rowOf = (width: number) => Math.min(22, Math.max(18, cellOf(width)));
  const draw = (width: number) => {
    const [cell, height] = [cellOf(width), rowOf(width)];
    const xOf = (column: number) => left + (column + 0.5) * cell;
    return (
      <>
        {rows.map((row, r) => (
          <g>
            <text class="tick" x="0" y={round(r * height + height / 2 + 4)}>
              {row.label}
            </text>
            {columns.map((_column, c) => {
              const value = valueAt(r, c);
              return (
                <>
                  <rect
                    class={`cell q${classOf(value, bounds)}`}
                    x={round(left + c * cell)}
                    y={round(r * height)}
                    width={round(cell - 1)}
                    height={round(height - 1)}
                    rx="2"
                  />
                  {value > 0 && cell > LEAST_CELL && (
                    <text
                      class={`cell-text on-q${classOf(value, bounds)}`}
                      x={round(xOf(c) - 0.5)}
                      y={round((r + 0.5) * height + 3)}
                    >
                      {compact(value)}
                    </text>
                  )}
                </>
              );
            })}
          </g>
        ))}
        <Labels
          labels={labels}
          xOf={xOf}
          width={width}
          distances={[1, 2, 3, 6, 12]}
          y={round(rows.length * height + 15)}
        />
      </>
    );
  };
  const heightOf = (width: number) => round(rows.length * rowOf(width) + 22);
  return <Drawing {...frame} heightOf={heightOf} draw={draw} />;
}

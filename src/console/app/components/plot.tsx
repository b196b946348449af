import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { formatCompact, formatDay, formatNumber } from "../format.ts";
import { plots as text } from "../messages/messages.ts";
import { colorOf } from "../theme.ts";
import { useEvent } from "../use-event.ts";
import { type Column, Table } from "./table.tsx";

export type Series = {
  name: string;
  /** A custom property of the theme, such as `--series-1`. */
  color: string;
  /** One for each day; null: no value. */
  values: readonly (number | null)[];
};

/** Daily counts are bars, one on the other or, if they do not add up, side by side. A score is a line. */
type PlotShape = "stacked" | "grouped" | "line";

const plotHeight = 240;
const secondsPerDay = 86_400;
/** The bars of a day, as a part of it. */
const barShare = 0.75;
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function Swatch({ color }: { color: string }) {
  return <span class="swatch" style={{ color: `var(${color})` }} />;
}

type DrawingProps = {
  days: readonly string[];
  series: readonly Series[];
  shape: PlotShape;
  max: number | undefined;
};

/** The drawing of a plot. It is made again when `days` or `series` is another object. */
function Drawing({ days, series, shape, max }: DrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<{ index: number; isRight: boolean } | undefined>();
  const [version, setVersion] = useState(0);
  const redraw = () => setVersion((before) => before + 1);
  useEvent(window, "themechange", redraw);
  useEvent(darkScheme, "change", redraw);
  useEffect(() => {
    const element = frame.current;
    if (!element || days.length === 0) return;
    const onMove = ({ cursor: { idx, left = 0 } }: uPlot) =>
      setShown(idx == null ? undefined : { index: idx, isRight: left > element.clientWidth / 2 });
    const plot = new uPlot(
      optionsOf(element.clientWidth, series, { shape, max, onMove }),
      dataOf(days, series, shape),
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: plotHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [days, series, shape, max, version]);
  const day = shown && days[shown.index];
  return (
    <div class="plot" ref={frame} style={{ minHeight: `${plotHeight}px` }}>
      {shown && day !== undefined && (
        <div class={shown.isRight ? "tooltip start" : "tooltip"}>
          <strong>{formatDay(day)}</strong>
          {series.map(({ name, color, values }) => {
            const value = values[shown.index];
            return (
              <div>
                <Swatch color={color} /> {name}: {value == null ? "–" : formatNumber(value)}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}

/** Seconds since 1970 for each day, then the values of each series; stacked ones are sums with those below. */
function dataOf(days: readonly string[], series: readonly Series[], shape: PlotShape): uPlot.AlignedData {
  const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
  const sums = days.map(() => 0);
  const columns = series.map(({ values }) =>
    days.map((_, i) => {
      const value = values[i] ?? null;
      if (shape !== "stacked") return value;
      sums[i] = (sums[i] ?? 0) + (value ?? 0);
      return sums[i] ?? 0;
    }),
  );
  return [times, ...columns];
}

function optionsOf(
  width: number,
  series: readonly Series[],
  { shape, max, onMove }: Pick<DrawingProps, "shape" | "max"> & { onMove: (plot: uPlot) => void },
): uPlot.Options {
  const isLine = shape === "line";
  const padding = isLine ? 0 : secondsPerDay / 2;
  const grid = { stroke: colorOf("--line"), width: 1 };
  const axis = {
    stroke: colorOf("--muted"),
    grid,
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  const shades = series.map(({ color }) => colorOf(color));
  return {
    width,
    height: plotHeight,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false }, y: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    scales: {
      x: { range: (_plot, min, dataMax) => [min - padding, dataMax + padding] },
      y: { range: (_plot, _min, dataMax) => [0, max ?? Math.max(1, dataMax * 1.05)] },
    },
    axes: [
      axis,
      { ...axis, size: 48, values: (_plot, values) => values.map((value) => formatCompact(value)) },
    ],
    series: [
      {},
      ...shades.map((shade, i) =>
        isLine
          ? {
              stroke: shade,
              width: 2,
              // A line needs two values.
              points: { show: (series[i]?.values.filter((value) => value !== null).length ?? 0) < 2 },
            }
          : {
              fill: shade,
              width: 0,
              points: { show: false },
              paths: shape === "stacked" ? barsOf(0, 1) : barsOf(i, shades.length),
            },
      ),
    ],
    // A bar begins where the bar of the series below ends.
    bands: shape === "stacked" ? shades.slice(1).map((_, i) => ({ series: [i + 2, i + 1] })) : [],
    hooks: { setCursor: [onMove] },
  };
}

/** Bars in a lane of each day. */
function barsOf(lane: number, laneCount: number): uPlot.Series.PathBuilder {
  const width = (secondsPerDay * barShare) / laneCount;
  const left = lane * width - (secondsPerDay * barShare) / 2;
  const bars = uPlot.paths.bars?.({
    disp: {
      // 1: in the unit of the scale.
      x0: { unit: 1, values: ({ data: [times] }) => [...times].map((time) => time + left) },
      size: { unit: 1, values: () => [width] },
    },
  });
  if (!bars) throw new Error("uPlot has no bars");
  return bars;
}

type DayPlotProps = {
  title: string;
  /** Whether the title is shown above the plot. */
  hasTitle?: boolean;
  days: readonly string[];
  series: readonly Series[];
  shape?: PlotShape;
  /** The end of the scale; default: the largest value. */
  max?: number;
};

/**
 * Values by UTC day. The pointer shows the values of a day; the same values are in a table for readers who do not see the
 * drawing. The page shows a legend for several series.
 */
export function DayPlot({ title, hasTitle = false, days, series, shape = "stacked", max }: DayPlotProps) {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure aria-label={title}>
      <figcaption>
        {hasTitle && <h3>{title}</h3>}
        <button type="button" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {text.table}
        </button>
      </figcaption>
      {isTable ? (
        <ValueTable title={title} days={days} series={series} />
      ) : (
        <Drawing days={days} series={series} shape={shape} max={max} />
      )}
    </figure>
  );
}

/** The names and colours of series, once for all plots that have them. */
export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul class="legend">
      {series.map(({ name, color }) => (
        <li key={color}>
          <Swatch color={color} /> {name}
        </li>
      ))}
    </ul>
  );
}

type ValueTableProps = { title: string; days: readonly string[]; series: readonly Series[] };

function ValueTable({ title, days, series }: ValueTableProps) {
  const columns: Column<number>[] = [
    { title: text.day, isHeading: true, cell: (at) => formatDay(days[at] ?? "") },
    ...series.map(({ name, values }) => ({
      title: name,
      isNumber: true,
      cell: (at: number) => (values[at] == null ? "–" : formatNumber(values[at] ?? 0)),
    })),
  ];
  return <Table name={title} isTall columns={columns} rows={[...days.keys()].reverse()} />;
}

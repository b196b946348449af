import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { formatCompact, formatDay, formatNumber } from "../format.ts";
import { colorOf } from "../theme.ts";
import { type Column, Table } from "./table.tsx";

export type Series = {
  name: string;
  /** A custom property of the theme, such as `--series-1`. */
  color: string;
  /** One for each day; null: no value. */
  values: readonly (number | null)[];
};

const plotHeight = 240;

function Swatch({ color }: { color: string }) {
  return <span class="swatch" style={{ color: `var(${color})` }} />;
}

type DrawingProps = {
  days: readonly string[];
  series: readonly Series[];
  isStacked: boolean;
  max: number | undefined;
};

/** The drawing of a plot. It is made again when `days` or `series` is another object. */
function Drawing({ days, series, isStacked, max }: DrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<{ index: number; isRight: boolean } | undefined>();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const redraw = () => setVersion((before) => before + 1);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    addEventListener("themechange", redraw);
    scheme.addEventListener("change", redraw);
    return () => {
      removeEventListener("themechange", redraw);
      scheme.removeEventListener("change", redraw);
    };
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (!element || days.length === 0) return;
    const onMove = ({ cursor: { idx, left = 0 } }: uPlot) =>
      setShown(idx == null ? undefined : { index: idx, isRight: left > element.clientWidth / 2 });
    const plot = new uPlot(
      optionsOf(element.clientWidth, series, { isStacked, max, onMove }),
      dataOf(days, series, isStacked),
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
  }, [days, series, isStacked, max, version]);
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
function dataOf(days: readonly string[], series: readonly Series[], isStacked: boolean): uPlot.AlignedData {
  const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
  const sums = days.map(() => 0);
  const columns = series.map(({ values }) =>
    days.map((_, i) => {
      const value = values[i] ?? null;
      if (!isStacked) return value;
      sums[i] = (sums[i] ?? 0) + (value ?? 0);
      return sums[i] ?? 0;
    }),
  );
  return [times, ...columns];
}

function optionsOf(
  width: number,
  series: readonly Series[],
  { isStacked, max, onMove }: { isStacked: boolean; max: number | undefined; onMove: (plot: uPlot) => void },
): uPlot.Options {
  const text = colorOf("--muted");
  const grid = { stroke: colorOf("--line"), width: 1 };
  const axis = { stroke: text, grid, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const shades = series.map(({ color }) => colorOf(color));
  return {
    width,
    height: plotHeight,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    scales: { y: { range: (_plot, _min, dataMax) => [0, max ?? Math.max(1, dataMax * 1.05)] } },
    axes: [
      axis,
      { ...axis, size: 48, values: (_plot, values) => values.map((value) => formatCompact(value)) },
    ],
    series: [
      {},
      ...shades.map((stroke, i) => ({
        stroke,
        width: isStacked ? 1 : 2,
        // A line needs two values.
        points: { show: !isStacked && (series[i]?.values.filter((value) => value !== null).length ?? 0) < 2 },
        // The areas are drawn between a series and the one below.
        ...(i === 0 && isStacked && { fill: `${stroke}` }),
      })),
    ],
    ...(isStacked && {
      bands: shades.slice(1).map((fill, i) => ({ series: [i + 2, i + 1] as uPlot.Band.Bounds, fill })),
    }),
    hooks: { setCursor: [onMove] },
  };
}

type DayPlotProps = {
  title: string;
  days: readonly string[];
  series: readonly Series[];
  isStacked?: boolean;
  /** The end of the scale; default: the largest value. */
  max?: number;
};

/**
 * Values by UTC day, as areas one above the other, or as a line. The pointer shows the values of a day; the same values
 * are in a table for readers who do not see the drawing.
 */
export function DayPlot({ title, days, series, isStacked = false, max }: DayPlotProps) {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure aria-label={title}>
      {isTable ? (
        <ValueTable title={title} days={days} series={series} />
      ) : (
        <Drawing days={days} series={series} isStacked={isStacked} max={max} />
      )}
      <figcaption class="legend">
        {series.length > 1 &&
          series.map(({ name, color }) => (
            <span>
              <Swatch color={color} /> {name}
            </span>
          ))}
        <button type="button" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Table
        </button>
      </figcaption>
    </figure>
  );
}

type ValueTableProps = { title: string; days: readonly string[]; series: readonly Series[] };

function ValueTable({ title, days, series }: ValueTableProps) {
  const columns: Column<number>[] = [
    { title: "Day", isHeading: true, cell: (at) => formatDay(days[at] ?? "") },
    ...series.map(({ name, values }) => ({
      title: name,
      isNumber: true,
      cell: (at: number) => (values[at] == null ? "–" : formatNumber(values[at] ?? 0)),
    })),
  ];
  return <Table label={`${title}, table`} isTall columns={columns} rows={[...days.keys()].reverse()} />;
}

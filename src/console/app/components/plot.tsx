import { useState } from "preact/hooks";
import { formatDay, formatNumber } from "../format.ts";
import { Drawing, type Series, Swatch } from "./plot-drawing.tsx";
import { type Column, Table } from "./table.tsx";

/**
 * Values by UTC day, as areas one above the other, or as a line. The pointer shows the values of a day; the same values
 * are in a table for readers who do not see the drawing.
 */
export function DayPlot({
  title,
  days,
  series,
  isStacked = false,
  max,
}: {
  title: string;
  days: readonly string[];
  series: readonly Series[];
  isStacked?: boolean;
  /** The end of the scale; default: the largest value. */
  max?: number;
}) {
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

function ValueTable({
  title,
  days,
  series,
}: {
  title: string;
  days: readonly string[];
  series: readonly Series[];
}) {
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

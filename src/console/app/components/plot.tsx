import { useState } from "preact/hooks";
import { formatDay, formatNumber } from "../format.ts";
import { Drawing, type Series, Swatch } from "./plot-drawing.tsx";
import { ScrollArea } from "./scroll-area.tsx";

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
  /** The end of the scale; default: that of the values. */
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
  return (
    <ScrollArea label={`${title}, table`} isTall>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {series.map(({ name }) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .map((day, i) => (
              <tr>
                <th scope="row">{formatDay(day)}</th>
                {series.map(({ values }) => (
                  <td class="number">{values[i] == null ? "–" : formatNumber(values[i] ?? 0)}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </ScrollArea>
  );
}

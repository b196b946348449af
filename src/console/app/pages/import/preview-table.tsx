import { Card, Empty, Loaded } from "../../components/card.tsx";
import type { RequestState } from "../../use-request.ts";
import type { RowOutcome } from "./batch.ts";
import { type ColumnMapping, columnLabel, nameOfTarget } from "./mapping.ts";

const resultNames = { created: "New account", updated: "Update", unchanged: "No change" } as const;

/** The first rows with the columns that are imported, and what would become of them. */
export function PreviewTable({
  header,
  targets,
  state,
}: {
  header: readonly string[];
  targets: readonly ColumnMapping[];
  state: RequestState<RowOutcome[] | undefined>;
}) {
  const columns = targets.flatMap((target, index) =>
    target ? [{ name: columnLabel(header, index), target: nameOfTarget(target), index }] : [],
  );
  return (
    <Card title="Preview of the first rows">
      <Loaded state={state} height={17}>
        {(outcomes) =>
          outcomes.length === 0 ? (
            <Empty title="The file has no rows" />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
            <section class="preview-scroll" aria-label="Preview, table" tabIndex={0}>
              <table class="preview">
                <thead>
                  <tr>
                    <th scope="col" class="number">
                      Line
                    </th>
                    <th scope="col">Result</th>
                    {columns.map(({ name, target, index }) => (
                      <th key={index} scope="col">
                        {name}
                        {target !== name && <span class="hint below">{target}</span>}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {outcomes.map((outcome) => (
                    <tr key={outcome.row.line}>
                      <td class="number">{outcome.row.line}</td>
                      <OutcomeCell outcome={outcome} />
                      {columns.map(({ index }) => (
                        <td key={index}>
                          <span class="clamp">{outcome.row.cells[index]}</span>
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </Loaded>
    </Card>
  );
}

function OutcomeCell({ outcome }: { outcome: RowOutcome }) {
  if (outcome.result !== "rejected") return <td class="outcome">{resultNames[outcome.result]}</td>;
  return (
    <td class="outcome rejected">
      <strong>Rejected:</strong> {outcome.reason}
    </td>
  );
}

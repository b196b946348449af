import { Popover } from "../../components/popover.tsx";
import { defaultColumns, type TableColumn } from "./columns.tsx";

/** Chooses the columns of the table. The browser stores them. */
export function ColumnChoice({
  columns,
  chosen,
  onChoose,
}: {
  columns: readonly TableColumn[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}) {
  return (
    <Popover label="Columns">
      {() => (
        <>
          <fieldset class="checks long">
            <legend>Columns</legend>
            {columns.map(({ id, title }) => (
              <label key={id}>
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  onChange={({ currentTarget }) =>
                    onChoose(currentTarget.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
                  }
                />
                <span>{title}</span>
              </label>
            ))}
          </fieldset>
          <button type="button" onClick={() => onChoose(defaultColumns)}>
            Reset
          </button>
        </>
      )}
    </Popover>
  );
}

import { useEffect, useState } from "preact/hooks";
import type { Column } from "../../components/table.tsx";
import { components, accountSelection as text } from "../../messages/messages.ts";
import type { ListedAttribute } from "./attribute-text.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import type { ListedAccount } from "./columns.tsx";
import type { BulkChange } from "./outcome.ts";

/** The ids of the selected rows, and a function that sets them. */
type Selection = { ids: ReadonlySet<number>; select: (ids: ReadonlySet<number>) => void };

/** A column of checkboxes; the one in the heading selects all rows of the page. */
export function selectionColumn(
  rows: readonly ListedAccount[],
  { ids, select }: Selection,
): Column<ListedAccount> {
  const count = rows.filter(({ id }) => ids.has(id)).length;
  function toggle(id: number, isSelected: boolean): void {
    const changed = new Set(ids);
    if (isSelected) changed.add(id);
    else changed.delete(id);
    select(changed);
  }
  return {
    title: (
      <label>
        <input
          type="checkbox"
          aria-label={text.selectAll}
          checked={count === rows.length}
          indeterminate={count > 0 && count < rows.length}
          onChange={() => select(new Set(count > 0 ? [] : rows.map(({ id }) => id)))}
        />
      </label>
    ),
    class: "select",
    cell: ({ id, name }) => (
      <label>
        <input
          type="checkbox"
          aria-label={text.select(name)}
          checked={ids.has(id)}
          onChange={({ currentTarget }) => toggle(id, currentTarget.checked)}
        />
      </label>
    ),
  };
}

type SelectionActionsProps = {
  accounts: readonly ListedAccount[];
  attributes: readonly ListedAttribute[];
  onClear: () => void;
  onChanged: (note: string, isOpen: boolean) => void;
};

/** What can be done with the selected rows. */
export function SelectionActions({ accounts, attributes, onClear, onChanged }: SelectionActionsProps) {
  const [open, setOpen] = useState<BulkChange["kind"]>();
  useEffect(
    () => () => {
      // The button that had the focus is gone with the selection.
      setTimeout(() => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>(".accounts section")?.focus({ preventScroll: true });
      });
    },
    [],
  );
  return (
    <div class="row">
      <button type="button" onClick={() => setOpen("edit")}>
        {components.edit}
      </button>
      <button type="button" class="danger" onClick={() => setOpen("delete")}>
        {components.remove}
      </button>
      <button type="button" class="quiet" aria-label={text.clearSelection} onClick={onClear}>
        {text.clear}
      </button>
      {open && (
        <BulkDialog
          kind={open}
          accounts={accounts}
          attributes={attributes}
          onChanged={onChanged}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

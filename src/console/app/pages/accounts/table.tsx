import { useRef } from "preact/hooks";
import { ScrollArea } from "../../components/scroll-area.tsx";
import type { ListedAccount, TableColumn } from "./columns.tsx";
import { useRowKeys } from "./row-keys.ts";
import { changeView, type View } from "./view.ts";

/** The accounts of a page. The names are links; the headings of the columns sort. */
export function AccountTable({
  accounts,
  columns,
  view,
  onChange,
}: {
  accounts: readonly ListedAccount[];
  columns: readonly TableColumn[];
  view: View;
  onChange: (view: View) => void;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  useRowKeys(body);
  return (
    <ScrollArea label="Table of accounts">
      <table>
        <thead>
          <tr>
            <SortHeader column={nameColumn} view={view} onChange={onChange} />
            {columns.map((column) =>
              column.isSortable ? (
                <SortHeader key={column.id} column={column} view={view} onChange={onChange} />
              ) : (
                <th key={column.id} scope="col" class={classOf(column)}>
                  {column.title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body}>
          {accounts.map((account) => (
            <tr key={account.id}>
              <th scope="row">
                <a class="clamp" href={`/console/accounts/${account.id}`} title={account.name}>
                  {account.name}
                </a>
              </th>
              {columns.map((column) => (
                <td key={column.id} class={classOf(column)}>
                  {column.isText ? <span class="clamp">{column.show(account)}</span> : column.show(account)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

type Heading = Pick<TableColumn, "id" | "title" | "isNumber" | "isText" | "isEssential">;
const nameColumn: Heading = { id: "name", title: "Name", isEssential: true };

function classOf({ isNumber, isText, isEssential }: Heading): string {
  return [isNumber && "number", isText && "text", !isEssential && "wide-only"].filter(Boolean).join(" ");
}

function SortHeader({
  column,
  view: { sortBy, sortOrder },
  view,
  onChange,
}: {
  column: Heading;
  view: View;
  onChange: (view: View) => void;
}) {
  const isSorted = sortBy === column.id;
  const next = isSorted && sortOrder === "asc" ? "desc" : "asc";
  const direction = sortOrder === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" class={classOf(column)} aria-sort={isSorted ? direction : undefined}>
      <button
        type="button"
        onClick={() => onChange(changeView(view, { sortBy: column.id, sortOrder: next }))}
      >
        {column.title}
        <span class="sort" aria-hidden="true">
          {isSorted && (sortOrder === "asc" ? "↑" : "↓")}
        </span>
      </button>
    </th>
  );
}

import type { ComponentChildren } from "preact";
import type { SortOrder, TableOrder } from "../address.ts";
import { components, plots } from "../messages/messages.ts";
import { rowLinkEvents } from "./row-link.ts";

export type Column<Row> = {
  title: ComponentChildren;
  cell: (row: Row, index: number) => ComponentChildren;
  /** Of the heading and the cells. */
  class?: string | undefined;
  isNumber?: boolean | undefined;
  /** Whether its cells are the headings of the rows. */
  isHeading?: boolean;
  /** Only screen readers read its title. */
  hasHiddenTitle?: boolean;
  /** The name of the order by the column, and the direction of the first click. Absent: it is not sorted by. */
  sortBy?: string | undefined;
  firstOrder?: SortOrder;
};

type Action = { text: string; label: string; run: () => void };

export function actionColumn<Row>(actionsOf: (row: Row) => Action[]): Column<Row> {
  return {
    title: components.actions,
    hasHiddenTitle: true,
    class: "actions",
    cell: (row) =>
      actionsOf(row).map(({ text, label, run }) => (
        <button key={label} type="button" aria-label={label} onClick={run}>
          {text}
        </button>
      )),
  };
}

export type TableProps<Row> = {
  /** What its rows are. */
  name?: string;
  /** Default: of the name. */
  label?: string | undefined;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Default: the index, for rows that do not move. */
  keyOf?: (row: Row) => string | number;
  class?: string;
  rowClass?: (row: Row) => string | undefined;
  /** Whether a click on a row opens the link in its heading. */
  hasRowLinks?: boolean;
  /** Scrolls up and down too. */
  isTall?: boolean;
  order?: TableOrder;
  onOrder?: (order: TableOrder) => void;
};

/** Rows in columns. With a name or a label it scrolls sideways instead of the page. */
export function Table<Row>({
  name,
  label = name && plots.tableOf(name),
  columns,
  rows,
  keyOf,
  class: tableClass,
  rowClass,
  hasRowLinks = false,
  isTall = false,
  order,
  onOrder = () => {},
}: TableProps<Row>) {
  const table = (
    <table class={tableClass}>
      <thead>
        <tr>
          {columns.map((column, i) => (
            <Heading key={i} column={column} order={order} onOrder={onOrder} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={keyOf?.(row) ?? i} class={rowClass?.(row)} {...(hasRowLinks && rowLinkEvents)}>
            {columns.map((column, at) =>
              column.isHeading ? (
                <th key={at} scope="row" class={classOf(column)}>
                  {column.cell(row, i)}
                </th>
              ) : (
                // On a narrow screen, a style can show the title at the cell.
                <td key={at} class={classOf(column)} data-column={nameOf(column)}>
                  {column.cell(row, i)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (label === undefined) return table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
    <section class={isTall ? "scroll tall" : "scroll"} aria-label={label} tabIndex={0}>
      {table}
    </section>
  );
}

function nameOf<Row>({ title, hasHiddenTitle }: Column<Row>): string | undefined {
  return typeof title === "string" && !hasHiddenTitle ? title : undefined;
}

function classOf<Row>({ class: name, isNumber }: Column<Row>): string | undefined {
  return [isNumber ? "number" : "", name ?? ""].filter(Boolean).join(" ") || undefined;
}

type HeadingProps<Row> = {
  column: Column<Row>;
  order: TableOrder | undefined;
  onOrder: (order: TableOrder) => void;
};

function Heading<Row>({
  column: { title, sortBy, firstOrder = "asc", hasHiddenTitle },
  column,
  order,
  onOrder,
}: HeadingProps<Row>) {
  if (!order || sortBy === undefined)
    return (
      <th scope="col" class={classOf(column)}>
        {hasHiddenTitle ? <span class="visually-hidden">{title}</span> : title}
      </th>
    );
  const isSorted = order.sortBy === sortBy;
  const isAscending = order.sortOrder === "asc";
  const direction = isAscending ? "ascending" : "descending";
  const opposite = isAscending ? "desc" : "asc";
  return (
    <th scope="col" class={classOf(column)} aria-sort={isSorted ? direction : undefined}>
      <button type="button" onClick={() => onOrder({ sortBy, sortOrder: isSorted ? opposite : firstOrder })}>
        {title}
        <span class="sort" aria-hidden="true">
          {isSorted && (isAscending ? "↑" : "↓")}
        </span>
      </button>
    </th>
  );
}

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { layout as text } from "../messages/messages.ts";
import type { CursorList, RequestState } from "../use-request.ts";
import { ProblemNotice } from "./problem.tsx";
import { Table, type TableProps } from "./table.tsx";

type PageTitleProps = {
  title: string;
  /** An image before the heading. */
  mark?: ComponentChildren;
  children?: ComponentChildren;
};

/** The heading of a page, which is also the title of the document. */
export function PageTitle({ children, title, mark }: PageTitleProps) {
  useEffect(() => {
    document.title = text.documentTitle(title);
  }, [title]);
  return (
    <div class="page-title">
      {mark}
      <h1>{title}</h1>
      {children}
    </div>
  );
}

type CardProps = {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** A section with a heading. `actions` are next to the heading. */
export function Card({ title, actions, children }: CardProps) {
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

type LoadedProps<T> = {
  state: RequestState<T | undefined>;
  /** Of the placeholder, in lines of text. */
  height?: number;
  children: (data: T) => ComponentChildren;
};

/**
 * The result of a request: a placeholder of the same height while there is none, the problem with a button to try
 * again, or `children` with the data, which stay visible while it is loaded again.
 */
export function Loaded<T>({
  state: { data, error, isLoading, reload },
  height = 8,
  children,
}: LoadedProps<T>) {
  if (error !== undefined && !isLoading) return <ProblemNotice error={error} onRetry={reload} />;
  if (data === undefined)
    return (
      <div
        class="placeholder"
        style={{ minHeight: `${height * 1.5}rem` }}
        role="status"
        aria-label={text.loading}
      />
    );
  return <div aria-busy={isLoading}>{children(data)}</div>;
}

type EmptyProps = { title: string; advice?: ComponentChildren; children?: ComponentChildren };

/** That there is nothing to show, and what to do first. */
export function Empty({ title, advice, children }: EmptyProps) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {advice !== undefined && <p>{advice}</p>}
      {children}
    </div>
  );
}

type FactProps = { label: string; children: ComponentChildren };

/** A name and a value of a list of facts. */
export function Fact({ label, children }: FactProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type LoadedRowsProps<T> = {
  list: CursorList<T>;
  noun: string;
  height: number;
  empty?: ComponentChildren;
  children: (rows: readonly T[]) => ComponentChildren;
};

/** The rows of a list that is read by cursors, with a button for more of them; without rows, `empty`. */
export function LoadedRows<T>({ list, noun, height, empty, children }: LoadedRowsProps<T>) {
  return (
    <Loaded state={list} height={height}>
      {({ rows, nextCursor }) => (
        <>
          {rows.length === 0 && empty ? empty : children(rows)}
          {nextCursor !== null && (
            <button type="button" class="more" disabled={list.isLoading} onClick={list.showMore}>
              {text.showMore(noun)}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

type LoadedTableProps<T> = Omit<LoadedRowsProps<T>, "noun" | "children"> &
  Omit<TableProps<T>, "rows"> & { name: string };

/** A list that is read by cursors, as a table. */
export function LoadedTable<T>({ list, height, empty, ...table }: LoadedTableProps<T>) {
  return (
    <LoadedRows {...{ list, noun: table.name, height, empty }}>
      {(rows) => <Table rows={rows} {...table} />}
    </LoadedRows>
  );
}

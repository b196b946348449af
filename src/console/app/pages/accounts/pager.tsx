import type { ComponentChildren } from "preact";
import { formatWholeMrr } from "../../format.ts";
import { accounts as text } from "../../messages/messages.ts";
import { setQuery } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useEvent } from "../../use-event.ts";
import { pageSize, type ViewTotals } from "./requests.ts";
import { queryOfView, type View } from "./view.ts";

const hints = [
  [text.keys.rows, "j", "k"],
  [text.keys.open, "Enter"],
  [text.keys.select, "x"],
  [text.keys.pages, "n", "p"],
  [text.keys.search, "/"],
] as const;
const steps: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus over the links of the rows: `j` and `k`, and the arrows within the table. `x` selects, `/` goes to the search. */
export function useRowKeys(): void {
  useEvent<KeyboardEvent>(document, "keydown", (event) => {
    if (!isShortcut(event)) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("account-search")?.focus();
      return;
    }
    if (event.key === "x") rowOfFocus()?.querySelector<HTMLElement>(".select input")?.click();
    const step = steps[event.key];
    if (step === undefined) return;
    const links = [...document.querySelectorAll<HTMLElement>(".accounts tbody th a")];
    const row = rowOfFocus();
    const index = links.findIndex((link) => row?.contains(link));
    // Outside of the rows, the arrows scroll the page.
    if (index < 0 && /^Arrow/.test(event.key)) return;
    event.preventDefault();
    links[index < 0 ? 0 : index + step]?.focus();
  });
}

function rowOfFocus() {
  return document.activeElement?.closest(".accounts tbody tr");
}

/** Whether a key is a shortcut: without a modifier, and not for a field or a dialog, whose focus may be lost. */
function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (document.querySelector("dialog[open]")) return false;
  const { target } = event;
  return !(
    target instanceof Element && target.closest("input:not([type=checkbox]), select, textarea, details[open]")
  );
}

/** The cursors of the pages that were shown, of the list with these filters and this order. */
let shown = { list: "", cursors: [""] };

/** The cursors up to the page; undefined if the page was opened by a link. */
function cursorsOf(view: View): string[] | undefined {
  const list = queryOfView({ ...view, columns: undefined, cursor: undefined }).toString();
  if (shown.list !== list) shown = { list, cursors: [""] };
  const index = shown.cursors.indexOf(view.cursor ?? "");
  return index < 0 ? undefined : shown.cursors.slice(0, index + 1);
}

type PagerProps = {
  view: View;
  totals: ViewTotals;
  rowCount: number;
  nextCursor: string | null;
  isLoading: boolean;
  /** Whether the keys are named. */
  hasHints: boolean;
  /** About the selected rows. */
  children: ComponentChildren;
};

/** Moves over the pages: by buttons, and by `n` and `p`. */
export function Pager({ view, totals, rowCount, nextCursor, isLoading, hasHints, children }: PagerProps) {
  const { can } = useSession();
  const cursors = cursorsOf(view);
  const previous = view.cursor === undefined ? undefined : (cursors?.at(-2) ?? "");
  function openPage(cursor: string | null | undefined): void {
    // The rows are still of another page.
    if (cursor == null || isLoading) return;
    if (cursor !== "" && cursors && !shown.cursors.includes(cursor)) shown.cursors = [...cursors, cursor];
    setQuery({ cursor: cursor || undefined });
    document.querySelector(".accounts")?.scrollIntoView({ block: "start" });
  }
  useEvent<KeyboardEvent>(document, "keydown", (event) => {
    if (!isShortcut(event)) return;
    if (event.key === "n") openPage(nextCursor);
    if (event.key === "p") openPage(previous);
  });
  return (
    <nav class="row pager" aria-label={text.pages}>
      <span>{rangeText(cursors && (cursors.length - 1) * pageSize, rowCount, totals.accounts)}</span>
      {totals.mrr !== undefined && rowCount > 0 && (
        <span class="sum">{text.sum(formatWholeMrr(totals.mrr))}</span>
      )}
      <div class="row middle">
        {children}
        {hasHints && (
          <span class="hint keys">
            {hints
              .filter(([, key]) => key !== "x" || can("write"))
              .map(([label, ...keys]) => (
                <span key={label}>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}{" "}
                  {label}
                </span>
              ))}
          </span>
        )}
      </div>
      <button type="button" disabled={previous === undefined} onClick={() => openPage(previous)}>
        {cursors ? text.previous : text.firstPage}
      </button>
      <button type="button" disabled={nextCursor === null} onClick={() => openPage(nextCursor)}>
        {text.next}
      </button>
    </nav>
  );
}

function rangeText(offset: number | undefined, rowCount: number, total: number | undefined): string {
  if (rowCount === 0) return text.noRows;
  if (offset === undefined) return total === undefined ? "" : text.of(total);
  const range = text.range(offset + 1, offset + rowCount);
  return total === undefined ? range : text.rangeOf(range, total);
}

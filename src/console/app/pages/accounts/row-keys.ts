import { useEffect } from "preact/hooks";

const steps: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus over the links of the rows: `j` and `k`, and the arrows within the table. `/` goes to the search. */
export function useRowKeys(): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (!isShortcut(event)) return;
      if (event.key === "/") {
        event.preventDefault();
        document.getElementById("account-search")?.focus();
        return;
      }
      const step = steps[event.key];
      if (step === undefined) return;
      const links = [...document.querySelectorAll<HTMLElement>(".accounts tbody th a")];
      const row = document.activeElement?.closest("tbody tr");
      const index = links.findIndex((link) => row?.contains(link));
      // Outside of the rows, the arrows scroll the page.
      if (index < 0 && event.key.startsWith("Arrow")) return;
      event.preventDefault();
      links[index < 0 ? 0 : index + step]?.focus();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Whether a key is a shortcut: without a modifier, and not for a field or a dialog. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  const { target } = event;
  return !(target instanceof Element && target.closest("input, select, textarea, dialog, details[open]"));
}

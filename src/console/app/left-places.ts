/** Where the reader was when an entry of the browser's history was left: the scroll position, and the focused link. */
type LeftPlace = { top: number; href: string | null | undefined };

/** After the page has loaded its data, a place that it no longer has is given up. */
const maxLoadedMilliseconds = 500;

const places = new Map<number, LeftPlace>();
let running = new AbortController();

/** Stores the place for the entry with this index, which is shown and about to be left. */
export function storePlace(index: number): void {
  running.abort();
  const href = document.activeElement?.closest("main a")?.getAttribute("href");
  places.set(index, { top: scrollY, href });
}

/** Restores the place while the page loads its data, until it is reached or the reader does something. */
export function restorePlace(index: number): void {
  const place = places.get(index);
  if (!place) return;
  const { top, href } = place;
  running = new AbortController();
  const { signal } = running;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new MutationObserver(() => {
    scrollTo(0, top);
    const links = href == null ? [] : document.querySelectorAll<HTMLElement>("main a");
    const link = [...links].find((candidate) => candidate.getAttribute("href") === href);
    link?.focus({ preventScroll: true });
    clearTimeout(timer);
    if (document.querySelector('main [aria-busy="true"], main .placeholder') !== null) return;
    if ((link || href == null) && Math.abs(scrollY - top) < 1) running.abort();
    else timer = setTimeout(() => running.abort(), maxLoadedMilliseconds);
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["aria-busy"] });
  signal.addEventListener("abort", () => {
    observer.disconnect();
    clearTimeout(timer);
  });
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(type, () => running.abort(), { signal });
}

type RowCounts = Readonly<Record<string, number>>;

function readRowCounts(): RowCounts {
  // Safe: only `storeRowCount` writes it.
  return (history.state?.rowCounts ?? {}) as RowCounts;
}

/** The number of rows of a list that `storeRowCount` stored in the shown entry of the browser's history; else 0. */
export const readRowCount = (list: string): number => readRowCounts()[list] ?? 0;

/** Stores how many rows of a list are shown or requested, so that Back and a reload show as many. */
export function storeRowCount(list: string, count: number): void {
  history.replaceState({ ...history.state, rowCounts: { ...readRowCounts(), [list]: count } }, "");
}

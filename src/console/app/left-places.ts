/** Where the reader was when an entry of the browser's history was left: the scroll position, and the focused link. */
type LeftPlace = { top: number; href: string | null | undefined };

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
  const observer = new MutationObserver(() => {
    scrollTo(0, top);
    const links = href == null ? [] : document.querySelectorAll<HTMLElement>("main a");
    const link = [...links].find((candidate) => candidate.getAttribute("href") === href);
    link?.focus({ preventScroll: true });
    const isLoading = document.querySelector('main [aria-busy="true"], main .placeholder') !== null;
    if (!isLoading && (link || href == null) && Math.abs(scrollY - top) < 1) running.abort();
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["aria-busy"] });
  signal.addEventListener("abort", () => observer.disconnect());
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(type, () => running.abort(), { signal });
}

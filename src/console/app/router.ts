import { useEffect, useState } from "preact/hooks";

/** The path of the page and its query, which is the state of the view: a link to it shows the same. */
export type Place = { path: string; query: URLSearchParams };

const listeners = new Set<() => void>();

function readPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Asks whether the page may be left, and calls `leave` if so. */
type Question = (leave: () => void) => void;
let question: Question | undefined;

/** Asks before a link, the browser's history or a sign-out leaves the page. Returns a function that ends it. */
export function askBeforeLeaving(ask: Question): () => void {
  question = ask;
  return () => {
    question = undefined;
  };
}

/** Runs `leave`, after the question of the page if it has one. */
export function leavePage(leave: () => void): void {
  if (question) question(leave);
  else leave();
}

/** The address of the page that is shown. After Back it differs from that of the browser until the page is left. */
let shownAddress = location.pathname + location.search;

function showPlace(): void {
  shownAddress = location.pathname + location.search;
  for (const listener of listeners) listener();
}

/** Back and Forward. The browser has changed the address before it can be asked. */
function onPopState(): void {
  const address = location.pathname + location.search;
  if (!question || address === shownAddress) {
    showPlace();
    return;
  }
  history.pushState(null, "", shownAddress);
  leavePage(() => navigate(address));
}

/** Shows another page of the console. `isReplaced`: without a new entry in the browser's history. */
export function navigate(href: string, { isReplaced = false } = {}): void {
  if (isReplaced) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  showPlace();
}

/** The current place. The component renders again when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const update = () => setPlace(readPlace());
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return place;
}

/** Replaces parameters of the query; an empty text or undefined removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  options: { isReplaced?: boolean } = {},
): void {
  const { path, query } = readPlace();
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(text === "" ? path : `${path}?${text}`, options);
}

/** The viewer of the API reference needs a document with another policy, and leaves styles and listeners behind. */
const isOwnDocument = (path: string) => path === "/console/api";

/** Opens links to pages of the console, and Back and Forward, without loading the document again. Returns a function that ends it. */
export function followNavigation(): () => void {
  const onClick = (event: MouseEvent) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || event.defaultPrevented || !link || link.target !== "" || link.hasAttribute("download"))
      return;
    if (link.origin !== location.origin || !/^\/console(\/|$)/.test(link.pathname)) return;
    if (/^\/console\/(assets|session)/.test(link.pathname)) return;
    // A link within the page, such as the one to the main content.
    if (link.hash !== "" && link.pathname === location.pathname) return;
    if (isOwnDocument(link.pathname) || isOwnDocument(location.pathname)) return;
    event.preventDefault();
    leavePage(() => {
      navigate(link.pathname + link.search);
      scrollTo(0, 0);
    });
  };
  document.addEventListener("click", onClick);
  addEventListener("popstate", onPopState);
  return () => {
    document.removeEventListener("click", onClick);
    removeEventListener("popstate", onPopState);
  };
}

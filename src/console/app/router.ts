import { useEffect, useState } from "preact/hooks";
import { restorePlace, storePlace } from "./left-places.ts";
import { useEvent } from "./use-event.ts";

/** The path of the page and its query, which is the state of the view: a link to it shows the same. */
type Place = { path: string; query: URLSearchParams };

function readPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Asks whether the page may be left, and calls `leave` if so. */
type ConfirmLeave = (leave: () => void) => void;
/** Of the page, then of its dialog: the last one asks. */
let confirmations: readonly ConfirmLeave[] = [];

/** Asks before a link, the browser's history or a sign-out leaves the page. Returns a function that removes the handler. */
export function askBeforeLeaving(confirm: ConfirmLeave): () => void {
  confirmations = [...confirmations, confirm];
  return () => {
    confirmations = confirmations.filter((other) => other !== confirm);
  };
}

/** Runs `leave`, after a confirmation if the page asks for one. */
export function leavePage(leave: () => void): void {
  const confirm = confirmations.at(-1);
  if (confirm) confirm(leave);
  else leave();
}

/** The entry of the browser's history whose page is shown. Entries of one document have consecutive indexes. */
let shown = { path: location.pathname, href: location.href, index: 0 };
/** The steps of Back or Forward that are undone until the page may be left. */
let undoneSteps = 0;

function showEntry(index: number): void {
  shown = { path: location.pathname, href: location.href, index };
  dispatchEvent(new Event("placechange"));
}

/** The index of the browser's entry. A link within the page, such as the one to the main content, makes one without. */
function indexOfEntry(): number {
  const index: unknown = history.state?.index;
  if (typeof index === "number") return index;
  const next = location.href === shown.href ? shown.index : shown.index + 1;
  history.replaceState({ ...history.state, index: next }, "");
  return next;
}

/** Back and Forward. The browser shows the other entry before it can be asked, so the step is undone for the question. */
function onPopState(): void {
  const index = indexOfEntry();
  const steps = index - shown.index;
  if (steps === 0 && undoneSteps !== 0) {
    const repeated = undoneSteps;
    undoneSteps = 0;
    leavePage(() => {
      // The page is left before its component removes the handler.
      confirmations = confirmations.slice(0, -1);
      history.go(repeated);
    });
  } else if (confirmations.length > 0 && location.pathname !== shown.path && steps !== 0) {
    undoneSteps = steps;
    history.go(-steps);
  } else {
    storePlace(shown.index);
    showEntry(index);
    restorePlace(index);
  }
}

/** Shows another page of the console. `isReplaced`: without a new entry in the browser's history. */
export function navigate(href: string, { isReplaced = false } = {}): void {
  const index = isReplaced ? shown.index : shown.index + 1;
  if (isReplaced) history.replaceState({ index }, "", href);
  else {
    storePlace(shown.index);
    history.pushState({ index }, "", href);
  }
  showEntry(index);
}

/** Opens a page of the console from its top. Another page is opened after the question of a page that must not be left. */
export function openPage(href: string): void {
  const open = () => {
    navigate(href);
    scrollTo(0, 0);
  };
  if (new URL(href, location.origin).pathname === location.pathname) open();
  else leavePage(open);
}

/** The current place. The component renders again when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  const update = () => setPlace(readPlace());
  useEvent(window, "placechange", update);
  // The effect of a child may have navigated before.
  useEffect(update, []);
  return place;
}

/** Replaces parameters of the query; undefined removes one. Of a list with pages, the first one is shown. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  options: { isReplaced?: boolean } = {},
): void {
  const { path, query } = readPlace();
  query.delete("cursor");
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(text === "" ? path : `${path}?${text}`, options);
}

/** Removes parameters of the query. */
export function removeParameters(names: readonly string[]): void {
  setQuery(Object.fromEntries(names.map((name) => [name, undefined])));
}

/** Opens links to pages of the console, and Back and Forward, without loading the document again. */
export function followNavigation(): void {
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
    event.preventDefault();
    openPage(link.pathname + link.search);
  };
  showEntry(indexOfEntry());
  document.addEventListener("click", onClick);
  addEventListener("popstate", onPopState);
}

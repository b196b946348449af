import { useEffect, useState } from "preact/hooks";

/** The path of the page and its query, which is the state of the view: a link to it shows the same. */
export type Place = { path: string; query: URLSearchParams };

const listeners = new Set<() => void>();

function readPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Shows another page of the console. `isReplaced`: without a new entry in the browser's history. */
export function navigate(href: string, { isReplaced = false } = {}): void {
  if (isReplaced) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  for (const listener of listeners) listener();
}

/** The current place. The component renders again when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const update = () => setPlace(readPlace());
    listeners.add(update);
    addEventListener("popstate", update);
    return () => {
      listeners.delete(update);
      removeEventListener("popstate", update);
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

/** Opens links to pages of the console without loading the document again. Returns a function that ends it. */
export function interceptLinks(): () => void {
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
    navigate(link.pathname + link.search);
    scrollTo(0, 0);
  };
  document.addEventListener("click", onClick);
  return () => document.removeEventListener("click", onClick);
}

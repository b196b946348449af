import "../../styles/api.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { consoleHeaders } from "../../api.ts";
import { ProblemNotice } from "../../components/problem.tsx";
import { setReferenceTheme, showReference } from "../../reference/viewer.ts";
import { isDark } from "../../theme.ts";

/** The API reference. Requests from it have the session, unless somebody enters another key. */
export function ApiPage() {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>();
  const [isShown, setIsShown] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    document.title = "API – accountd";
  }, []);
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    open(place.current, controller.signal).then(
      () => setIsShown(true),
      (failure: unknown) => {
        if (!controller.signal.aborted) setError(failure);
      },
    );
    return () => controller.abort();
  }, [attempt]);
  return (
    <div class="api-reference">
      <h1 class="visually-hidden">API</h1>
      {error !== undefined && <ProblemNotice error={error} onRetry={() => setAttempt(attempt + 1)} />}
      {!isShown && error === undefined && <p class="hint">Loading the API reference</p>}
      <div ref={place} />
    </div>
  );
}

async function open(element: Element | null, signal: AbortSignal): Promise<void> {
  if (!element) return;
  await loadViewer();
  const reference = await showReference(
    element,
    {
      document: "/docs/json",
      presentation: {
        origin: location.origin,
        guides: "/docs/guides/",
        aboutKey: "Nothing to enter: requests have your session. A key that is entered here is sent instead.",
      },
      theme: themeOf(),
      onRequest: authenticate,
    },
    signal,
  );
  const update = () => setReferenceTheme(themeOf());
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  addEventListener("themechange", update);
  scheme.addEventListener("change", update);
  signal.addEventListener("abort", () => {
    removeEventListener("themechange", update);
    scheme.removeEventListener("change", update);
    reference.destroy();
  });
}

const themeOf = () => (isDark() ? "dark" : "light");

/** Adds the headers with which the API takes the cookie of the session, unless the request has a key. */
function authenticate({ headers }: Request): void {
  const key = headers.get("x-api-key");
  if (key === "" || key === "YOUR_SECRET_TOKEN") headers.delete("x-api-key");
  if (headers.has("x-api-key") || headers.has("authorization")) return;
  for (const [name, value] of Object.entries(consoleHeaders())) headers.set(name, value);
}

/** Loads the script of the viewer, which is not part of the console's, because it is larger than all of that. */
function loadViewer(): Promise<void> {
  if (window.Scalar) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/docs/assets/api-reference.js";
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error("the script of the viewer could not be loaded"));
    };
    document.head.append(script);
  });
}

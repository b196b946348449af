import { type Presentation, presentDocument } from "./document.ts";
import { commonOptions, type ScalarReference } from "./scalar.ts";

/** Where the reference is shown, and how requests are authenticated there. */
export type ReferencePlace = {
  /** The path of the OpenAPI document. */
  document: string;
  presentation: Presentation;
  /** Undefined: the viewer has a switch, and begins with the scheme of the system. */
  theme?: "dark" | "light";
  onRequest?: (request: Request) => void;
};

/** Reads the OpenAPI document and shows it. The script of the viewer must have run. */
export async function showReference(
  element: Element,
  place: ReferencePlace,
  signal?: AbortSignal,
): Promise<ScalarReference> {
  const response = await fetch(place.document, signal ? { signal } : {});
  if (!response.ok) throw new Error(`the OpenAPI document has the status ${response.status}`);
  const content = presentDocument(await response.json(), place.presentation);
  const viewer = window.Scalar;
  if (!viewer) throw new Error("the script of the viewer did not run");
  signal?.throwIfAborted();
  return viewer.createApiReference(element, {
    ...commonOptions,
    content,
    hideDarkModeToggle: place.theme !== undefined,
    ...(place.theme && { forceDarkModeState: place.theme }),
    onRequestBuilt: ({ request }) => place.onRequest?.(request),
  });
}

/** Changes the theme of a viewer that is shown: it reads its option only once. */
export function setReferenceTheme(theme: "dark" | "light"): void {
  document.body.classList.toggle("dark-mode", theme === "dark");
  document.body.classList.toggle("light-mode", theme === "light");
}

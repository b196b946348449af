import { presentDocument } from "./document.ts";
import { referenceOptions } from "./scalar.ts";

/** Reads the OpenAPI document and shows it. The script of the viewer must have run. Paths are relative to the page. */
async function showReference(element: Element): Promise<void> {
  const response = await fetch("docs/json");
  if (!response.ok) throw new Error(`the OpenAPI document has the status ${response.status}`);
  // A proxy may serve the program below a path.
  const origin = new URL(".", location.href).href.slice(0, -1);
  const content = presentDocument(await response.json(), { origin, guides: "docs/guides/" });
  if (!window.Scalar) throw new Error("the script of the viewer did not run");
  window.Scalar.createApiReference(element, { ...referenceOptions, content });
}

const element = document.getElementById("reference");
if (!element) throw new Error("the page has no #reference");
showReference(element).catch(() => {
  element.textContent = "The API reference could not be loaded. Reload the page to try again.";
});

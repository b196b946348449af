import { showReference } from "./viewer.ts";

// The paths are relative, because a proxy may serve the program below a path.
const element = document.getElementById("reference");
if (!element) throw new Error("the page has no #reference");
const origin = new URL(".", location.href).href.slice(0, -1);
showReference(element, { document: "docs/json", presentation: { origin, guides: "docs/guides/" } }).catch(
  () => {
    element.textContent = "The API reference could not be loaded. Reload the page to try again.";
  },
);

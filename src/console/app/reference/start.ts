import { presentDocument } from "./document.ts";

declare global {
  /** Scalar's viewer, whose script sets it. */
  interface Window {
    Scalar?: {
      createApiReference: (element: Element, options: typeof referenceOptions & { content: object }) => void;
    };
  }
}

/** Every other language: TypeScript has samples with the typed client. */
const hiddenClients = {
  c: true,
  clojure: true,
  csharp: true,
  dart: true,
  fsharp: true,
  go: true,
  http: true,
  java: true,
  js: true,
  julia: true,
  kotlin: true,
  node: true,
  objc: true,
  ocaml: true,
  php: true,
  powershell: true,
  python: ["python3", "aiohttp", "httpx_sync", "httpx_async"],
  r: true,
  ruby: true,
  rust: true,
  shell: ["wget", "httpie"],
  swift: true,
};

/** Text that is legible (WCAG AA) in both themes. */
const customCss = `
.light-mode {
  --scalar-color-accent: #0b5cad; --scalar-color-2: #454b55; --scalar-color-3: #5b626e;
  --scalar-color-blue: #0b5cad; --scalar-color-green: #06694c; --scalar-color-orange: #9a4b00;
  --scalar-color-yellow: #7d5600; --scalar-color-red: #b3261e; --scalar-color-purple: #6b3fa0;
}
.dark-mode {
  --scalar-color-accent: #7ab8f5; --scalar-color-2: #b9c0cb; --scalar-color-3: #a4acba;
  --scalar-color-blue: #7ab8f5; --scalar-color-green: #3fc79f; --scalar-color-orange: #f0a060;
  --scalar-color-yellow: #f0b545; --scalar-color-red: #ff9a90; --scalar-color-purple: #c9a5f0;
}`;

/** No address but this server's, nothing kept in the browser. */
const referenceOptions = {
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: "apiKey" },
  customCss,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  documentDownloadType: "none",
  hiddenClients,
  hideClientButton: true,
  hideDarkModeToggle: false,
  // A key in the browser's storage would outlive the page.
  persistAuth: false,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
} as const;

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

import { reference as text } from "../messages/messages.ts";
import { readTheme } from "../theme.ts";
import { presentDocument } from "./document.ts";
import { findOperations, type TaggedOperations } from "./search.ts";

declare global {
  /** Swagger UI, whose script sets it. */
  interface Window {
    SwaggerUIBundle?: (
      options: typeof viewerOptions & { domNode: Element; spec: object; plugins: object[] },
    ) => void;
  }
}

/** A request of the viewer: a plain object, which an interceptor changes. */
type ViewerRequest = { headers: Record<string, string> };
/** The key whose session of the console this browser had when the page was opened. */
type SessionKey = { id: number; name: string; lastFour: string };
let sessionKey: SessionKey | undefined;

/** A request without an API key has the session, unless the browser has signed in with another key since. */
function addSession(request: ViewerRequest): ViewerRequest {
  const names = Object.keys(request.headers).map((name) => name.toLowerCase());
  if (sessionKey && !names.includes("x-api-key") && !names.includes("authorization"))
    Object.assign(request.headers, { "x-accountd-console": "1", "x-accountd-key": String(sessionKey.id) });
  return request;
}

/** No address but this server's, nothing kept in the browser: a key in its storage would outlive the page. */
const viewerOptions = {
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  docExpansion: "list",
  filter: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  requestInterceptor: addSession,
  showCommonExtensions: true,
  validatorUrl: null,
} as const;

/** The filter finds operations by words of their path and summary; the viewer itself finds tags only. */
const searchPlugin = {
  fn: { opsFilter: (tags: TaggedOperations, words: string) => findOperations(tags, words) },
};

/** Reads the OpenAPI document and shows it. The script of the viewer must have run. Paths are relative to the page. */
async function showReference(domNode: Element): Promise<void> {
  const [response, key] = await Promise.all([fetch("docs/json"), readSessionKey()]);
  sessionKey = key;
  const note = document.getElementById("session");
  if (note && key) note.textContent = text.session(key.name, key.lastFour);
  if (!response.ok) throw new Error(`the OpenAPI document has the status ${response.status}`);
  // A proxy may serve the program below a path.
  const origin = new URL(".", location.href).href.slice(0, -1);
  const spec = presentDocument(await response.json(), origin);
  if (!window.SwaggerUIBundle) throw new Error("the script of the viewer did not run");
  window.SwaggerUIBundle({ ...viewerOptions, domNode, spec, plugins: [searchPlugin] });
}

/** Undefined when signed out, and where the server has no console. */
async function readSessionKey(): Promise<SessionKey | undefined> {
  const response = await fetch("console/session", { headers: { "x-accountd-console": "1" } });
  if (!response.ok) return undefined;
  // Safe: the response of the session's path.
  const { data } = (await response.json()) as { data: { key: SessionKey } | null };
  return data?.key;
}

/** The viewer has its dark colours by a class. */
function followTheme(): void {
  const theme = readTheme();
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const isDark = theme === "dark" || (theme === "system" && scheme.matches);
    document.documentElement.classList.toggle("dark-mode", isDark);
  };
  scheme.addEventListener("change", apply);
  if (theme !== "system") document.documentElement.dataset.theme = theme;
  apply();
}

const element = document.getElementById("reference");
if (!element) throw new Error("the page has no #reference");
followTheme();
showReference(element).catch(() => {
  element.textContent = text.failed;
});

import { start } from "./binary.ts";
import { sendRequest } from "./service.ts";

const printed = /serves (http:\S+) from[\s\S]*\/docs[\s\S]*Ctrl-C/;

/** A running quickstart, with the key and the curl lines that it printed. */
export async function quickstart(cwd: string, env: Record<string, string> = {}) {
  const server = await start(["quickstart", "--port", "0"], { cwd, env }, printed);
  const text = server.stdout();
  const key = /^ *(ak_\w{36})$/m.exec(text)?.[1] ?? "";
  const curls = text.split("\n").filter((line) => line.trim().startsWith("curl "));
  return { server, text, key, curls, get: (path: string) => sendRequest(server.url, key, "GET", path) };
}

import { readConfig } from "../config.ts";
import { type Command, expectArguments, print } from "./command.ts";

/** Milliseconds: for an answer, and between two tries. */
const patience = 2_000;
const between = 50;
const anyAddress: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

export const healthCommand: Command = {
  name: "health",
  summary: "Asks the service on this machine whether it is alive.",
  usage: ["health [--port 3000] [--host 127.0.0.1]"],
  options: {
    port: { type: "string", about: "the port it serves on (PORT; default 3000)" },
    host: { type: "string", about: "the address it serves on (HOST; default 127.0.0.1)" },
  },
  async run({ words, flags }) {
    expectArguments(words, 0);
    const { host, port } = readConfig(flags);
    const url = `http://${anyAddress[host] ?? (host.includes(":") ? `[${host}]` : host)}:${port}/livez`;
    if (!(await isAlive(url))) throw new Error(`Nothing healthy answers at ${url}.`);
    print(flags.json ? JSON.stringify({ status: "ok" }) : "ok");
  },
};

/** Whether it answers in time: one that was started just now may not listen yet. */
async function isAlive(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(patience);
  while (!signal.aborted) {
    const answer = await fetch(url, { signal }).catch(() => undefined);
    if (answer) return answer.ok;
    await Bun.sleep(between);
  }
  return false;
}

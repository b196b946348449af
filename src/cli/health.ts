import { readAddress } from "../config.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { addressSettings } from "../core/settings/settings.ts";
import { type Command, retryMilliseconds, startTimeoutMilliseconds } from "./command.ts";
import { print } from "./output.ts";
import { optionsOf } from "./serve.ts";

const loopback: Record<string, string> = { "0.0.0.0": "127.0.0.1", "*": "127.0.0.1", "::": "::1" };

export const healthCommand: Command = {
  name: "health",
  summary: "Check that the server on this machine is alive; wait up to 2 s for one that is starting.",
  usage: "[--port PORT] [--host HOST]",
  options: optionsOf(addressSettings),
  async run({ flags }) {
    const { host: configured, port } = readAddress(flags);
    const host = loopback[configured] ?? configured;
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}/livez`;
    if (!(await isAlive(url)))
      throw new OperatorError(
        "not_healthy",
        `No healthy server answers at ${url}. Start one with accountd serve, or add --port and --host if it listens elsewhere.`,
      );
    print(flags.json ? JSON.stringify({ status: "ok" }) : "ok");
  },
};

/** Whether the server answers in time. Connections are retried: one that was just started may not listen yet. */
async function isAlive(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(startTimeoutMilliseconds);
  while (!signal.aborted) {
    const response = await fetch(url, { signal, keepalive: false, redirect: "manual" }).catch(
      () => undefined,
    );
    if (response) return response.status === 200;
    await Bun.sleep(retryMilliseconds);
  }
  return false;
}

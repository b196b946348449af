import { fastPollMilliseconds, startTimeoutMilliseconds } from "../../db/timer.ts";
import { readAddress } from "../config.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { addressSettings } from "../core/settings/settings.ts";
import { formatAddress } from "../server/listen.ts";
import type { Command } from "./command.ts";
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
    if (!(await isAlive(host, port)))
      throw new OperatorError(
        "not_healthy",
        `No healthy server answers at http://${formatAddress(host, port)}/livez. Start one with accountd serve, or add --port and --host if it listens elsewhere.`,
      );
    print(flags.json ? JSON.stringify({ status: "ok" }) : "ok");
  },
};

/** Whether the server answers in time. Connections are retried: one that was just started may not listen yet. */
async function isAlive(host: string, port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(startTimeoutMilliseconds);
  while (!signal.aborted) {
    const status = await requestStatus(host, port, signal).catch(() => undefined);
    if (status !== undefined) return status === 200;
    await Bun.sleep(fastPollMilliseconds);
  }
  return false;
}

/** By node:http, because fetch would send the request to the proxy of HTTP_PROXY. It is imported here, because it loads slowly. */
async function requestStatus(host: string, port: number, signal: AbortSignal): Promise<number | undefined> {
  const { get } = await import("node:http");
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path: "/livez", signal, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
  });
}

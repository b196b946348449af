import { afterAll, afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Contestant } from "./contestants.ts";
import { measure } from "./rounds.ts";
import { sample } from "./sample.ts";
import { endServers } from "./server.ts";
import { timeStart } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
afterEach(endServers);
afterAll(() => rmSync(folder, { recursive: true }));

const ok = "HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n";
let lastPort = 0;

/** A server that replies to the liveness probe, and runs this function for any other request. */
function contestantThat(does: string): Contestant {
  const program = `Bun.listen({ hostname: "127.0.0.1", port: Number(process.env.PORT), socket: {
    data(socket, chunk) {
      if (chunk.toString().startsWith("GET /livez ")) socket.write("${ok}");
      else ${does};
    } } })`;
  return {
    name: "somebody",
    label: "somebody",
    data: "plain",
    missing: async () => undefined,
    isSlow: true,
    command: (port) => {
      lastPort = port;
      return { cmd: [process.execPath, "-e", program], env: { PORT: String(port) } };
    },
  };
}

function start(contestant: Contestant) {
  return timeStart(contestant, join(folder, "some.db"), sample.organizations.large);
}

async function isServing(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${lastPort}/livez`).then(
    () => true,
    () => false,
  );
}

test("a start is measured until the first reply and the first list, and the server is stopped", async () => {
  const { reply, list } = await start(contestantThat(`socket.write("${ok}")`));
  expect(reply).toBeGreaterThan(0);
  expect(list).toBeGreaterThan(reply);
  expect(await isServing()).toBe(false);
});

test.each([
  ["closes the connection of the list", "socket.terminate()", ""],
  ["rejects the list", `socket.write("${ok.replace("200", "503")}")`, "the status of the first list is 503"],
])("a start of one that %s is an error, and its server is stopped", async (_, does, message) => {
  await expect(start(contestantThat(does))).rejects.toThrow(message);
  expect(await isServing()).toBe(false);
});

test("a contestant that does not start is reported, and the others are measured", async () => {
  const lines: string[] = [];
  const file = join(folder, "plain.db");
  writeFileSync(file, "");
  const outcome = await measure({
    data: { ...sample, plain: file },
    contestants: [{ ...contestantThat(""), command: () => ({ cmd: ["false"], env: {} }) }],
    options: {
      engine: "sqlite",
      quick: true,
      full: false,
      rounds: 1,
      only: ["start"],
      contestants: undefined,
      span: { warmup: 0, seconds: 0 },
      growthSpan: { warmup: 0, seconds: 0 },
    },
    folder,
    print: (line) => lines.push(line),
  });
  expect(outcome).toEqual({ measured: [], singles: [] });
  const line = "1 somebody start: somebody does not reply.\n";
  expect(lines).toEqual([line, line]);
});

import { expect, setDefaultTimeout, test } from "bun:test";
import { closeAfterTest } from "../support/cleanup.ts";
import { folder } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(60_000);

/** Starts the quickstart below a shell below a process with a title, and resolves with their ids and the address. */
async function startBelow(title: string) {
  const shell = `sh -c '"$0" quickstart --port 0 --json & echo "pid $!"; wait' "$0" & wait`;
  const parent = Bun.spawn(["bash", "-c", shell, await binary()], {
    argv0: title,
    cwd: folder(),
    env: { PATH: Bun.env.PATH ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of parent.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (/^pid /m.test(text) && /"url"/.test(text)) break;
  }
  const server = Number(/^pid (\d+)/m.exec(text)?.[1]);
  const url = /"url":"([^"]+)"/.exec(text)?.[1] ?? "";
  closeAfterTest(async () => void (isRunning(server) && process.kill(server, "SIGKILL")));
  return { parent, server, url };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function isServing(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}

test.concurrent.each([
  ["npm exec bun@1.4.5 start", false],
  ["bash", true],
  ["vim docs/npx.md", true],
])("after the end of %p, two processes above the quickstart, it serves: %p", async (title, isServed) => {
  const { parent, url } = await startBelow(title);
  expect(await isServing(url)).toBe(true);
  parent.kill("SIGKILL");
  await parent.exited;
  await Bun.sleep(1_000);
  expect(await isServing(url)).toBe(isServed);
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFile } from "../support/world.ts";

const run = join(import.meta.dir, "../../src/server/run.ts");

/** A process of its own, because a server handles the signals and the uncaught errors of its process. */
const script = `
const { runServer } = await import(${JSON.stringify(run)});
const [database] = process.argv.slice(-1);
const days = { eventDays: 35, changeDays: 400 };
const config = { host: "127.0.0.1", port: 0, database, hasAccessLog: false, ...days, corsOrigins: [], keepAliveSeconds: 75, backupFolder: "" };
let url;
const onReady = async (address) => {
  url = address;
  console.log((await fetch(url + "/livez")).status);
  throw new Error("failed after listen");
};
await runServer({ config, clock: Date.now, onReady }).catch((error) => console.log(error.message));
console.log(await fetch(url + "/livez").then(({ status }) => status, () => "refused"));
process.exit();
`;

test("a failure after listen closes the HTTP server", async () => {
  const child = Bun.spawn([process.execPath, "-e", script, temporaryFile("accountd.db")], {
    stderr: "ignore",
  });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(lines).toEqual(["200", "failed after listen", "refused"]);
});

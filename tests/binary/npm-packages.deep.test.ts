import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { packClient, packProgram } from "../../deploy/release/npm-packages.ts";
import manifest from "../../package.json" with { type: "json" };
import { closeAfterTest } from "../support/cleanup.ts";
import { folder } from "./binary.ts";

setDefaultTimeout(240_000);

const root = join(import.meta.dir, "../..");
const { version } = manifest;

test("the npm packages install, start the program with a URL, and use it", async () => {
  const work = folder();
  await packProgram(root, work);
  await packClient(root, work);
  await Bun.write(join(work, "package.json"), "{}");
  await $`npm install --no-audit --no-fund ./accountd-${version}.tgz ./accountd-client-${version}.tgz`
    .cwd(work)
    .quiet();
  expect(await $`npx accountd version`.cwd(work).text()).toContain(version);

  const server = Bun.spawn(["node", "node_modules/accountd/accountd.mjs", "start", "--port", "0", "--json"], {
    cwd: work,
    stdout: "pipe",
    stderr: "ignore",
  });
  closeAfterTest(() => {
    server.kill("SIGKILL");
    return server.exited;
  });
  const { value } = await server.stdout.getReader().read();
  const { url, key } = JSON.parse(new TextDecoder().decode(value));
  const script = `
    import { createClient } from "accountd-client";
    const client = createClient({ server: "${url}", key: "${key}" });
    console.log((await client.accounts.create({ name: "Acme" })).name);`;
  await Bun.write(join(work, "use.mjs"), script);
  expect(await $`node use.mjs`.cwd(work).text()).toBe("Acme\n");
  expect((await fetch(`${url}/console`)).status).toBe(200);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
});

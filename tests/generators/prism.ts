import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { documentFile, maxMilliseconds, type Workspace } from "./workspace.ts";

const recipes = join(import.meta.dir, "../../clients/typescript/tests/recipes.test.ts");
/** One recipe sends a company without a name, to show the problem of an item. */
const expected = /^request\.body\.accounts\.2\.name /;

/**
 * Runs the recipes of docs/recipes.md through Prism, which validates every request and reply. Throws when a recipe
 * fails, and unless the violations are the expected ones.
 */
export async function runPrism({ folder }: Workspace): Promise<string> {
  const [upstream, port] = [await freePort(), await freePort()];
  const program = join(folder, "node_modules/.bin/prism");
  const proxy = Bun.spawn(
    [program, "proxy", documentFile, `http://127.0.0.1:${upstream}`, "--port", `${port}`],
    {
      cwd: folder,
      stdout: "pipe",
      stderr: "inherit",
      timeout: maxMilliseconds,
    },
  );
  try {
    let log = "";
    const reading = (async () => {
      for await (const chunk of proxy.stdout.pipeThrough(new TextDecoderStream())) log += chunk;
    })();
    while (!log.includes("Prism is listening")) {
      if (proxy.exitCode !== null) throw new Error(log);
      await Bun.sleep(100);
    }
    const tests = Bun.spawn([process.execPath, "test", "--timeout", "60000", recipes], {
      cwd: join(import.meta.dir, "../../clients/typescript"),
      env: { ...Bun.env, RECIPES_PORT: `${upstream}`, RECIPES_SERVER: `http://127.0.0.1:${port}` },
      stdout: "pipe",
      stderr: "pipe",
    });
    const output = await new Response(tests.stderr).text();
    if ((await tests.exited) !== 0) throw new Error(output);
    proxy.kill();
    await reading;
    const violations = [...log.matchAll(/Violation: (.*)/g)].map(([, text = ""]) => text);
    const unexpected = violations.filter((text) => !expected.test(text));
    if (unexpected.length > 0 || violations.length === 0) throw new Error(violations.join("\n"));
    return `${log.match(/Forwarding/g)?.length} requests`;
  } finally {
    proxy.kill("SIGKILL");
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { useMemory } from "../support/temporary-folder.ts";
import { chromiumPath } from "./chromium.ts";

/**
 * Tests the console in Chromium: `bun tests/browser/run.ts [NAME...] [--deep] [--update-screenshots]`. The names are
 * those of the files without `.suite.ts`; default: all but the deep ones, which `--deep` runs instead.
 * `screenshots --update-screenshots` also writes the images of the README.
 */
const root = join(import.meta.dir, "../..");
const timeoutMilliseconds = 180_000;
/** Of test processes at a time; each has a browser and a server. */
const processCount = 3;

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--"));
/** The suites of `test:deep`: controls of the other suites, measured times, and images without an assertion. */
const deepSuites = ["controls", "large", "screenshots"];
const isDeep = words.includes("--deep");
if (existsSync(chromiumPath)) process.exitCode = (await runAll()) ? 0 : 1;
else {
  console.error(`The console is not tested: there is no ${chromiumPath}. Install chromium, or set CHROMIUM.`);
  process.exitCode = 1;
}

async function runAll(): Promise<boolean> {
  useMemory();
  const files = [...new Bun.Glob("*.suite.ts").scanSync(import.meta.dir)].toSorted();
  const chosen = files.filter((file) => {
    const name = file.replace(".suite.ts", "");
    return names.length > 0 ? names.includes(name) : deepSuites.includes(name) === isDeep;
  });
  const startedAt = performance.now();
  const failed: string[] = [];
  // The longest one first: the processes end at the same time.
  const longest = "pages.suite.ts";
  const others = chosen.filter((file) => file !== longest && file !== "large.suite.ts");
  const waiting = [...chosen.filter((file) => file === longest), ...others];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      if (!(await runSuite(file))) failed.push(file);
  };
  await Promise.all(Array.from({ length: processCount }, work));
  // Its times are measured: by itself.
  if (chosen.includes("large.suite.ts") && !(await runSuite("large.suite.ts"))) failed.push("large.suite.ts");
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    failed.length === 0
      ? `${chosen.length} suites of the console passed in ${seconds} s.`
      : `Failed after ${seconds} s: ${failed.join(", ")}`,
  );
  return failed.length === 0 && chosen.length > 0;
}

async function runSuite(file: string): Promise<boolean> {
  const suite = Bun.spawn(
    [process.execPath, "test", "--timeout", String(timeoutMilliseconds), `./tests/browser/${file}`],
    {
      cwd: root,
      stdout: "pipe",
      stderr: "pipe",
      env: { ...Bun.env, UPDATE_SCREENSHOTS: String(words.includes("--update-screenshots")) },
    },
  );
  const [output, messages] = await Promise.all([
    new Response(suite.stdout).text(),
    new Response(suite.stderr).text(),
  ]);
  // As one piece: others run at the same time.
  process.stdout.write(messages + output);
  return (await suite.exited) === 0;
}

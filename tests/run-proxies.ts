import { installedProxies, proxyNames } from "./proxies/proxy.ts";
import { useMemory } from "./support/temporary-folder.ts";

/** Tests the server behind the proxies that are installed. With arguments, only these suites: `keep-alive`. */
const names = process.argv.slice(2);
const missing = proxyNames.filter((name) => !installedProxies.includes(name));
if (missing.length > 0) console.log(`Skipped, because not installed: ${missing.join(", ")}.`);
if (installedProxies.length > 0) {
  useMemory();
  const files = [...new Bun.Glob("*.suite.ts").scanSync(`${import.meta.dir}/proxies`)].toSorted();
  const chosen = files.filter((file) => names.length === 0 || names.includes(file.replace(".suite.ts", "")));
  const paths = chosen.map((file) => `./tests/proxies/${file}`);
  const suites = Bun.spawn([process.execPath, "test", "--parallel=2", "--timeout", "120000", ...paths], {
    cwd: `${import.meta.dir}/..`,
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exitCode = await suites.exited;
}

#!/usr/bin/env node
// Runs the program with the Bun of this package. `accountd start` is `accountd quickstart`.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const bun = createRequire(import.meta.url).resolve("bun/bin/bun.exe");
const program = fileURLToPath(new URL("src/main.ts", import.meta.url));
const [command, ...words] = process.argv.slice(2);
const args = command === undefined ? [] : [command === "start" ? "quickstart" : command, ...words];
const child = spawn(bun, ["--no-env-file", program, ...args], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// A terminal sends it to the program, too.
process.on("SIGINT", () => {});
child.on("exit", (code) => process.exit(code ?? 1));

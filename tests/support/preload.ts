import { afterEach } from "bun:test";
import { buildConsoleOnce } from "./console-files.ts";
import { useMemory } from "./temporary-folder.ts";

useMemory();
buildConsoleOnce();

// Loaded before the tests: a hook in an imported module belongs only to the first test file that imports it.
const { closeAll } = await import("./world.ts");
afterEach(closeAll);

import { afterEach } from "bun:test";
import { useMemory } from "./temporary-folder.ts";
import { closeAll } from "./world.ts";

useMemory();

// Loaded before the tests: a hook in an imported module belongs only to the first test file that imports it.
afterEach(closeAll);

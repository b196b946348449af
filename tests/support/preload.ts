import { afterEach } from "bun:test";
import { closeAll } from "./world.ts";

// Loaded before the tests: a hook in an imported module belongs only to the first test file that imports it.
afterEach(closeAll);

import { afterEach } from "bun:test";
import { closeAll } from "./world.ts";

// Loaded before the tests: a hook in a module that tests import would belong to the first of them alone.
afterEach(closeAll);

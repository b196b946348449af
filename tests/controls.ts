import { faults } from "./faults/proofs.ts";
import { hostile } from "./hostile/proofs.ts";
import { prove } from "./support/prove.ts";

// Every proof in its short form with all of its controls. `.ci/run` runs this after the fast suite.
process.exitCode = (await prove([...faults, ...hostile], "short", process.argv.slice(2))) ? 0 : 1;

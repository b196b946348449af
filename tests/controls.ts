import { faults } from "./faults/proofs.ts";
import { hostile } from "./hostile/proofs.ts";
import { prove } from "./support/prove.ts";
import { proveAll } from "./support/prove-all.ts";

/** Every proof, or the named ones, in its short form with all of its controls. `.ci/run` runs this. */
const proofs = [...faults, ...hostile];
const names = process.argv.slice(2);
const isProved =
  names.length > 0
    ? await prove(proofs, "short", names)
    : await proveAll([process.execPath, import.meta.path], proofs);
process.exitCode = isProved ? 0 : 1;

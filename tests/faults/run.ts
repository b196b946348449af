import type { Proof } from "../support/proof.ts";
import { prove } from "../support/prove.ts";

/** What may break under the service, and does not take anything with it. */
const proofs: Proof[] = [];

process.exitCode = (await prove(proofs, process.argv.slice(2))) ? 0 : 1;

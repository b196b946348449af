import type { Proof } from "../support/proof.ts";
import { prove } from "../support/prove.ts";

/** What may be sent to the service, and finds no way in. */
const proofs: Proof[] = [];

process.exitCode = (await prove(proofs, process.argv.slice(2))) ? 0 : 1;

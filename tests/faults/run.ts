import { prove } from "../support/prove.ts";
import { faults } from "./proofs.ts";

process.exitCode = (await prove(faults, "long", process.argv.slice(2))) ? 0 : 1;

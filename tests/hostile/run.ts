import { prove } from "../support/prove.ts";
import { hostile } from "./proofs.ts";

process.exitCode = (await prove(hostile, "long", process.argv.slice(2))) ? 0 : 1;

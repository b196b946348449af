import { prove } from "../support/prove.ts";
import { foreignIds } from "./foreign-ids.ts";
import { fuzz } from "./fuzz.ts";
import { probes } from "./refusals.ts";
import { secrets } from "./secrets.ts";
import { timing } from "./timing.ts";

/** What may be sent to the service, and finds no way in. */
const proofs = [probes, foreignIds, timing, secrets, fuzz];

process.exitCode = (await prove(proofs, process.argv.slice(2))) ? 0 : 1;

import { prove } from "../support/prove.ts";
import { badFiles } from "./bad-files.ts";
import { diskErrors } from "./disk-errors.ts";
import { fullDisk } from "./full-disk.ts";
import { heldLock } from "./held-lock.ts";
import { kill } from "./kill.ts";
import { migrations } from "./migrations.ts";
import { model } from "./model.ts";
import { powerLoss } from "./power-loss.ts";
import { races } from "./races.ts";
import { resend } from "./resend.ts";
import { stalled } from "./stalled.ts";
import { stop } from "./stop.ts";

/** What may break under the service, and takes nothing with it. */
const proofs = [
  kill,
  resend,
  powerLoss,
  diskErrors,
  fullDisk,
  heldLock,
  badFiles,
  migrations,
  stop,
  stalled,
  model,
  races,
];

process.exitCode = (await prove(proofs, process.argv.slice(2))) ? 0 : 1;

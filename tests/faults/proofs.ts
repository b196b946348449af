import { fuzz } from "../hostile/fuzz.ts";
import { timing } from "../hostile/timing.ts";
import type { Proof } from "../support/proof.ts";
import { diskErrors } from "./disk-errors.ts";
import { idempotency } from "./idempotency.ts";
import { kill } from "./kill.ts";
import { largeBodies } from "./large-bodies.ts";
import { migrations } from "./migrations.ts";
import { model } from "./model.ts";
import { noisy } from "./noisy.ts";
import { postgresConnections, postgresPooler } from "./postgres-connections.ts";
import { postgresDiskFull } from "./postgres-disk-full.ts";
import { postgresFailover } from "./postgres-failover.ts";
import { postgresIdempotency } from "./postgres-idempotency.ts";
import { postgresKill } from "./postgres-kill.ts";
import { postgresModel } from "./postgres-model.ts";
import { powerLoss } from "./power-loss.ts";
import { stop } from "./stop.ts";

/** Failures of the process, the disk, the machine and other processes; then hostile requests. */
export const proofs: readonly Proof[] = [
  kill,
  idempotency,
  powerLoss,
  diskErrors,
  migrations,
  stop,
  noisy,
  largeBodies,
  model,
  postgresModel,
  postgresKill,
  postgresConnections,
  postgresPooler,
  postgresIdempotency,
  postgresDiskFull,
  postgresFailover,
  timing,
  fuzz,
];

import { foreignIds } from "../hostile/foreign-ids.ts";
import { fuzz } from "../hostile/fuzz.ts";
import { timing } from "../hostile/timing.ts";
import type { Proof } from "../support/proof.ts";
import { attachments } from "./attachments.ts";
import { backup } from "./backup.ts";
import { badFiles } from "./bad-files.ts";
import { deletion } from "./deletion.ts";
import { diskErrors } from "./disk-errors.ts";
import { fullDisk } from "./full-disk.ts";
import { heldLock } from "./held-lock.ts";
import { idempotency } from "./idempotency.ts";
import { kill } from "./kill.ts";
import { largeBodies } from "./large-bodies.ts";
import { largeReplies, postgresLargeReplies } from "./large-replies.ts";
import { litestream } from "./litestream.ts";
import { migrations } from "./migrations.ts";
import { model } from "./model.ts";
import { noisy } from "./noisy.ts";
import { organizationDeletion } from "./organization-deletion.ts";
import { overload, postgresOverload } from "./overload.ts";
import { postgresConnections, postgresPooler } from "./postgres-connections.ts";
import { postgresDiskFull } from "./postgres-disk-full.ts";
import { postgresDump } from "./postgres-dump.ts";
import { postgresFailover } from "./postgres-failover.ts";
import { postgresIdempotency } from "./postgres-idempotency.ts";
import { postgresKill } from "./postgres-kill.ts";
import { postgresModel } from "./postgres-model.ts";
import { postgresRecovery } from "./postgres-recovery.ts";
import { powerLoss } from "./power-loss.ts";
import { resend } from "./resend.ts";
import { stop } from "./stop.ts";
import { postgresWebhooks, webhooks } from "./webhooks.ts";

/** Failures of the process, the disk, the machine and other processes; then hostile requests. */
export const proofs: readonly Proof[] = [
  kill,
  resend,
  idempotency,
  powerLoss,
  diskErrors,
  fullDisk,
  heldLock,
  badFiles,
  backup,
  litestream,
  migrations,
  attachments,
  webhooks,
  deletion,
  organizationDeletion,
  stop,
  noisy,
  overload,
  largeBodies,
  largeReplies,
  model,
  postgresModel,
  postgresKill,
  postgresConnections,
  postgresPooler,
  postgresIdempotency,
  postgresWebhooks,
  postgresDiskFull,
  postgresFailover,
  postgresDump,
  postgresRecovery,
  postgresOverload,
  postgresLargeReplies,
  foreignIds,
  timing,
  fuzz,
];

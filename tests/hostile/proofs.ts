import type { Proof } from "../support/proof.ts";
import { foreignIds } from "./foreign-ids.ts";
import { fuzz } from "./fuzz.ts";
import { probes } from "./refusals.ts";
import { secrets } from "./secrets.ts";
import { timing } from "./timing.ts";

/** Hostile requests. */
export const hostile: readonly Proof[] = [probes, foreignIds, timing, secrets, fuzz];

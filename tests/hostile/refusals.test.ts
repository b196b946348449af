import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { probes } from "./refusals.ts";

afterEach(endAll);
testProof(probes, 180_000);

import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { powerLoss } from "./power-loss.ts";

afterEach(endAll);

testProof(powerLoss, 60_000);

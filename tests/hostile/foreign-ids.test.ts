import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { foreignIds } from "./foreign-ids.ts";

afterEach(endAll);
testProof(foreignIds, 180_000);

import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { timing } from "./timing.ts";

afterEach(endAll);
testProof(timing, 180_000);

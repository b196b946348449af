import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { stalled } from "./stalled.ts";

afterEach(endAll);

testProof(stalled, 90_000);

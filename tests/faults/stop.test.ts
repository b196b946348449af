import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { stop } from "./stop.ts";

afterEach(endAll);

testProof(stop, 120_000);

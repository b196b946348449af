import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { kill } from "./kill.ts";

afterEach(endAll);

testProof(kill, 120_000);

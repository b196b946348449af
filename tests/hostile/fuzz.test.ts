import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { fuzz } from "./fuzz.ts";

afterEach(endAll);
testProof(fuzz, 180_000);

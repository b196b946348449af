import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { fullDisk } from "./full-disk.ts";

afterEach(endAll);

testProof(fullDisk, 90_000);

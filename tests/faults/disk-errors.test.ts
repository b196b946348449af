import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { diskErrors } from "./disk-errors.ts";

afterEach(endAll);

testProof(diskErrors, 90_000);

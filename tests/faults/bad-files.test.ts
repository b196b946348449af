import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { badFiles } from "./bad-files.ts";

afterEach(endAll);

testProof(badFiles, 90_000);

import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { secrets } from "./secrets.ts";

afterEach(endAll);
testProof(secrets, 180_000);

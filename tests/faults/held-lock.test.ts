import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { heldLock } from "./held-lock.ts";

afterEach(endAll);

testProof(heldLock, 90_000);

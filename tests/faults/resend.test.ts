import { afterEach } from "bun:test";
import { endAll } from "../binary/binary.ts";
import { testProof } from "../support/proof.ts";
import { resend } from "./resend.ts";

afterEach(endAll);

testProof(resend, 120_000);

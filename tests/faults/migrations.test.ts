import { testProof } from "../support/proof.ts";
import { migrations } from "./migrations.ts";

testProof(migrations, 60_000);

import "./run-proofs.ts";

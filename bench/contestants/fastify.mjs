// better-sqlite3 with statements that are prepared once.
import { serve } from "./fastify/app.mjs";
import { organizationOf } from "./fastify/database.mjs";
import * as reads from "./fastify/reads.mjs";
import * as writes from "./fastify/writes.mjs";

const isConflict = ({ code }) => code === "SQLITE_CONSTRAINT_UNIQUE";
await serve({ organizationOf, isConflict, ...reads, ...writes });

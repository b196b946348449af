// pg with prepared statements by hand. A request has the fewest round trips that one transaction of its own allows.
import { serve } from "./fastify/app.mjs";
import { organizationOf } from "./fastify-postgres/database.mjs";
import { receiveEvents } from "./fastify-postgres/events.mjs";
import * as reads from "./fastify-postgres/reads.mjs";
import * as writes from "./fastify-postgres/writes.mjs";

const isConflict = ({ code }) => code === "23505";
await serve({ organizationOf, isConflict, receiveEvents, ...reads, ...writes });

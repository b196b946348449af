/**
 * Must be the first import. Elysia reads NODE_ENV when it is loaded; outside production its validation errors contain
 * the values that were sent.
 */
Bun.env.NODE_ENV = "production";

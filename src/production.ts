/**
 * Must be the first import: Elysia reads NODE_ENV once, when it is loaded, and outside production its validation
 * errors repeat the values that were sent.
 */
Bun.env.NODE_ENV = "production";

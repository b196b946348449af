/**
 * Imported before anything else: Elysia reads the mode once, when it is loaded, and outside production its
 * refusals repeat the values that were sent.
 */
Bun.env.NODE_ENV = "production";

/**
 * Must be the first import. Elysia reads NODE_ENV when it is loaded; outside production its validation errors contain
 * the values that were sent.
 */
Bun.env.NODE_ENV = "production";

// Bun's `fetch` reads them for each request, without an option against it. A proxy would connect webhooks to addresses
// that were not checked.
for (const name of ["http_proxy", "https_proxy", "all_proxy"]) {
  delete Bun.env[name];
  delete Bun.env[name.toUpperCase()];
}

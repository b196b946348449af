/** Handles a request, as `Bun.serve` calls it. */
export type Fetch = (request: Request) => Response | Promise<Response>;

import { AnalyticsBrowser } from "@segment/analytics-next";

/** Runs in the page: makes each call as a page of a customer does, and returns when all are delivered or dropped. */
async function run(host: string, writeKey: string, strategy?: "batching"): Promise<string> {
  const segment = {
    apiKey: writeKey,
    apiHost: `${host}/v1`,
    protocol: "http",
    ...(strategy && { deliveryStrategy: { strategy, config: { size: 3, timeout: 500 } } }),
  };
  // With the settings of its CDN, the library loads nothing from another host.
  const cdnSettings = { integrations: { "Segment.io": segment } };
  const analytics = AnalyticsBrowser.load({ writeKey, cdnSettings: cdnSettings as never });
  const options = { context: { groupId: "acme" } } as never;
  await analytics.group("acme", { name: "Acme Inc." });
  await analytics.identify("u1", { name: "Ada", email: "ada@x.io" }, options);
  for (let i = 0; i < 3; i += 1) await analytics.track("report.exported", { i }, options);
  await analytics.page();
  await analytics.alias("u2");
  await analytics.screen("Home");
  return "done";
}

Object.assign(globalThis, { run });

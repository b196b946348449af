import { expect } from "bun:test";
import { eventually } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { createAccount, server, test } = consoleSuite();

test("an account has its logo, or its initials if it cannot be loaded, also without TLS", async ({
  page,
  context,
  open,
}) => {
  await context.route("https://logos.example/broken.png", (route) => route.fulfill({ body: "" }));
  const ids: number[] = [];
  for (const address of [
    "https://logos.example/a.png",
    "https://logos.example/broken.png",
    "http://logos.example/a.png",
  ]) {
    const id = await createAccount({ name: `Logo of ${address}` });
    await server().request("PATCH", `accounts/${id}`, { logoUrl: address });
    ids.push(id);
  }
  const requests: { url: string; referrer: string | undefined }[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "image" && !request.url().startsWith("data:"))
      requests.push({ url: request.url(), referrer: request.headers().referer });
  });
  await open("/console/accounts?search=Logo%20of");
  const logos = page.locator("tbody .logo");
  const shown = () =>
    logos.evaluateAll((all) => all.map((logo) => [logo.textContent, logo.querySelectorAll("img").length]));
  const expected = [
    ["LO", 0],
    ["", 1],
    ["LO", 0],
  ];
  expect(await eventually(shown, expected)).toEqual(expected);
  expect(requests).toEqual([
    { url: "https://logos.example/a.png", referrer: undefined },
    { url: "https://logos.example/broken.png", referrer: undefined },
  ]);
  await open(`/console/accounts/${ids[0]}`);
  expect(await page.locator(".page-title .logo img").count()).toBe(1);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
    "Logo of https://logos.example/a.png",
  );
});

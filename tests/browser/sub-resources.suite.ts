import { expect } from "bun:test";
import { card, cellsOf, dialogOf, eventually, save, shownText } from "./page-text.ts";
import { consoleSuite, isConflict } from "./suite.ts";

const { server, createAccount, test } = consoleSuite();

test("a contact is created, edited with its attributes, and deleted", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "With contacts" });
  await open(`/console/accounts/${id}`);
  const contacts = card(page, "Contacts");
  await contacts.getByRole("button", { name: "New contact" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
  await dialog.getByLabel("E-mail").fill("ada@engine.example");
  await dialog.getByLabel("External id").fill("ada-1");
  await dialog.getByRole("button", { name: "Create contact" }).click();
  const row = contacts.getByRole("listitem").filter({ hasText: "Ada Lovelace" });
  await row.waitFor();
  expect(await row.getByRole("link").getAttribute("href")).toBe("mailto:ada%40engine.example");

  await row.getByRole("button", { name: "Edit Ada Lovelace" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("Ada King");
  await dialog.getByRole("button", { name: "Add attribute" }).click();
  await dialog.getByLabel("Name of attribute 1").fill("role");
  await dialog.getByLabel("Value of attribute 1").fill("Countess");
  await save(dialog);
  await dialog.waitFor({ state: "detached" });
  await idle();
  const list = `accounts/${id}/contacts`;
  const members = { name: "Ada King", email: "ada@engine.example", externalId: "ada-1" };
  expect(await server().request<object[]>("GET", list)).toMatchObject([
    { ...members, attributes: { role: "Countess" } },
  ]);
  await contacts.getByRole("button", { name: "Delete Ada King" }).click();
  await dialog.getByText("Ada King").waitFor();
  await dialog.getByRole("button", { name: "Delete contact" }).click();
  await contacts.getByText(/^No contacts yet/).waitFor();
  expect(await server().request<object[]>("GET", list)).toEqual([]);
});

test("a meeting is created, edited and deleted", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "With meetings" });
  await open(`/console/accounts/${id}`);
  const meetings = card(page, "Meetings");
  const dialog = page.getByRole("dialog");
  await meetings.getByRole("button", { name: "New meeting" }).click();
  await dialog.getByLabel("Title").fill("Kickoff");
  await dialog.getByLabel("Start").fill("2026-03-04T10:00");
  await dialog.getByLabel("End").fill("2026-03-04T11:30");
  await dialog.getByRole("button", { name: "Create meeting" }).click();
  await meetings.getByRole("button", { name: "Edit Kickoff" }).click();
  await dialog.getByLabel("End").fill("2026-03-04T12:00");
  await save(dialog);
  await dialog.waitFor({ state: "detached" });
  await idle();
  const times = { startAt: "2026-03-04T10:00:00.000Z", endAt: "2026-03-04T12:00:00.000Z" };
  const list = `accounts/${id}/meetings`;
  expect(await server().request<object[]>("GET", list)).toMatchObject([{ title: "Kickoff", ...times }]);
  await meetings.getByRole("button", { name: "Delete Kickoff" }).click();
  await dialog.getByRole("button", { name: "Delete meeting" }).click();
  await dialog.waitFor({ state: "detached" });
  await meetings.getByText("No upcoming meetings.").waitFor();
  expect(await server().request<object[]>("GET", list)).toEqual([]);
});

test(
  "a meeting that ends before it starts has the problem at its field, in the words of the dialog",
  async ({ page, open }) => {
    const id = await createAccount({ name: "With a mistake" });
    await open(`/console/accounts/${id}`);
    await card(page, "Meetings").getByRole("button", { name: "New meeting" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Times are in the time zone of the browser: UTC.").waitFor();
    await dialog.getByLabel("Title").fill("Kickoff");
    await dialog.getByLabel("Start").fill("2026-03-04T10:00");
    await dialog.getByLabel("End").fill("2026-03-04T09:00");
    await dialog.getByRole("button", { name: "Create meeting" }).click();
    await dialog.getByText("End must not be before Start.").waitFor();
    expect(await shownText(dialog.getByRole("alert"))).toBe("Correct the marked fields.");
    expect(await dialog.getByLabel("End").getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("endAt");
    await dialog.getByLabel("Title").fill("Kick-off");
    expect(await dialog.getByLabel("End").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("End").fill("2026-03-04T11:00");
    expect(await dialog.getByLabel("End").getAttribute("aria-invalid")).toBeNull();
    expect(await dialog.getByRole("alert").count()).toBe(0);
  },
  { expected: [/^400 POST .*\/meetings$/] },
);

test(
  "an attribute with the type of no other row has the problem at its row",
  async ({ page, open }) => {
    await createAccount({ name: "Typed", attributes: { region: "north" } });
    const id = await createAccount({ name: "Mistyped" });
    await open(`/console/accounts/${id}`);
    await page.getByRole("button", { name: "Edit attributes" }).click();
    const dialog = dialogOf(page, "Edit attributes");
    await dialog.getByLabel("Name of attribute 1").fill("region");
    await dialog.getByLabel("Type of attribute 1").selectOption("Number");
    await dialog.getByLabel("Value of attribute 1").fill("5");
    await save(dialog);
    await dialog.getByText("region must be a text, as in the other rows with this attribute.").waitFor();
    expect(await dialog.getByLabel("Value of attribute 1").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Type of attribute 1").selectOption("Text");
    expect(await dialog.getByLabel("Value of attribute 1").getAttribute("aria-invalid")).toBeNull();
  },
  { expected: [/^400 PATCH/] },
);

test("a request is created, edited and deleted", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "With requests" });
  await open(`/console/accounts/${id}`);
  const requests = card(page, "Requests");
  const dialog = page.getByRole("dialog");
  await requests.getByRole("button", { name: "New request" }).click();
  await dialog.getByLabel("Title").fill("Dark mode");
  await dialog.getByLabel("Severity").selectOption("5 (severe)");
  await dialog.getByRole("button", { name: "Create request" }).click();
  await requests.getByRole("button", { name: "Edit Dark mode" }).click();
  await dialog.getByLabel("Status").selectOption("Done");
  await save(dialog);
  await dialog.waitFor({ state: "detached" });
  await idle();
  const list = `accounts/${id}/requests`;
  expect(await server().request<object[]>("GET", list)).toMatchObject([
    { title: "Dark mode", severity: 5, status: "Done" },
  ]);
  await requests.getByRole("button", { name: "Delete Dark mode" }).click();
  await dialog.getByRole("button", { name: "Delete request" }).click();
  await dialog.waitFor({ state: "detached" });
  await requests.getByText("No open requests.").waitFor();
  expect(await server().request<object[]>("GET", list)).toEqual([]);
});

test(
  "a conflict of a contact shows both versions, too",
  async ({ page, open, idle }) => {
    const id = await createAccount({ name: "Shared contacts" });
    const contact = await server().request<{ id: number }>("POST", `accounts/${id}/contacts`, {
      name: "Bob",
      attributes: { jobTitle: "CTO" },
    });
    await open(`/console/accounts/${id}`);
    await page.getByRole("button", { name: "Edit Bob" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Robert");
    const theirs = { name: "Rob", attributes: { jobTitle: "CEO" } };
    await server().request("PATCH", `contacts/${contact.id}`, theirs);
    await save(dialog);
    const versions = [
      ["Name", "Rob", "Robert"],
      ["Job title", "CEO", "CTO (not changed)"],
    ];
    expect(await eventually(() => cellsOf(dialog.locator("table")), versions)).toEqual(versions);
    await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
    await dialog.waitFor({ state: "detached" });
    await idle();
    expect(await server().request<object>("GET", `contacts/${contact.id}`)).toMatchObject({ name: "Robert" });
  },
  isConflict("contacts"),
);

test("attributes of each type are added, changed and removed", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "Tagged", attributes: { plan: "gold", old: true } });
  await open(`/console/accounts/${id}`);
  const attributes = card(page, "Attributes");
  await attributes.getByRole("button", { name: "Edit attributes" }).click();
  const dialog = dialogOf(page, "Edit attributes");
  for (const [i, name] of ["old", "plan"].entries())
    expect(await dialog.getByLabel(`Name of attribute ${i + 1}`).inputValue()).toBe(name);
  await dialog.getByLabel("Value of attribute 2").fill("silver");
  await dialog.getByRole("button", { name: "Remove attribute 1" }).click();
  await dialog.getByRole("button", { name: "Add attribute" }).click();
  await dialog.getByLabel("Name of attribute 2").fill("seats");
  await dialog.getByLabel("Type of attribute 2").selectOption("Number");
  await dialog.getByLabel("Value of attribute 2").fill("12.5");
  await dialog.getByRole("button", { name: "Add attribute" }).click();
  await dialog.getByLabel("Name of attribute 3").fill("trial");
  await dialog.getByLabel("Type of attribute 3").selectOption("Yes or no");
  await dialog.getByLabel("Value of attribute 3").selectOption("No");
  await save(dialog);
  await dialog.waitFor({ state: "detached" });
  await idle();
  const { attributes: stored } = await server().request<{ attributes: object }>(
    "GET",
    `accounts/${id}?include=attributes`,
  );
  expect(stored).toEqual({ plan: "silver", seats: 12.5, trial: false });
  expect((await cellsOf(attributes.locator("table"))).toSorted()).toEqual([
    ["Plan", "silver"],
    ["Seats", "12.5"],
    ["Trial", "no"],
  ]);
});

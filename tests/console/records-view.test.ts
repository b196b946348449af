import { expect, test } from "bun:test";
import { checkParameters, readView } from "../../src/console/app/address.ts";
import { contactParameters } from "../../src/console/app/pages/contacts/view.ts";
import { isShown, requestParameters } from "../../src/console/app/pages/requests/view.ts";

test("the view of the contacts is the address, and what it cannot read is ignored", () => {
  const query = new URLSearchParams("search=ada&seen=never&sortBy=createdAt&sortOrder=desc");
  expect(readView(query, contactParameters)).toEqual({
    search: "ada",
    seen: "never",
    sortBy: "createdAt",
    sortOrder: "desc",
  });
  expect(checkParameters(query, contactParameters).ignored).toEqual([]);
  const wrong = new URLSearchParams("seen=toString&sortBy=email&sortOrder=down&page=2");
  expect(readView(wrong, contactParameters)).toEqual({
    search: "",
    seen: "any",
    sortBy: "name",
    sortOrder: "asc",
  });
  expect(checkParameters(wrong, contactParameters).ignored).toHaveLength(4);
});

test("requests are shown by status, severity and title; those that are open without a status", () => {
  const requests = ["Open", "Planned", "Started", "Done", "Declined"].map((status, i) => ({
    title: `Éxport ${status}`,
    // Safe: the statuses of requests.
    status: status as "Open",
    severity: i + 1,
    requestedAt: "2026-01-01T00:00:00.000Z",
  }));
  const shown = (query: string) => {
    const view = readView(new URLSearchParams(query), requestParameters);
    return requests.filter((request) => isShown(request, view)).map(({ status }) => String(status));
  };
  expect(shown("")).toEqual(["Open", "Planned", "Started"]);
  expect(shown("status=Declined")).toEqual(["Declined"]);
  expect(shown("severity=2&search=E%CC%81XPORT")).toEqual(["Planned", "Started"]);
  expect(shown("search=done")).toEqual([]);
  const ignored = (query: string) => checkParameters(new URLSearchParams(query), requestParameters).ignored;
  expect(ignored("status=Open&severity=5&search=x")).toEqual([]);
  expect(ignored("status=open&severity=1")).toHaveLength(2);
});

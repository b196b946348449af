import { expect, test } from "bun:test";
import { checkContacts, contactsViewOf } from "../../src/console/app/pages/contacts/view.ts";
import { checkRequests, isShown, requestsViewOf } from "../../src/console/app/pages/requests/view.ts";

test("the view of the contacts is the address, and what it cannot read is ignored", () => {
  const query = new URLSearchParams("search=ada&seen=never&sortBy=createdAt&sortOrder=desc");
  expect(contactsViewOf(query)).toEqual({
    search: "ada",
    seen: "never",
    sortBy: "createdAt",
    sortOrder: "desc",
  });
  expect(checkContacts(query).ignored).toEqual([]);
  const wrong = new URLSearchParams("seen=toString&sortBy=email&sortOrder=down&page=2");
  expect(contactsViewOf(wrong)).toEqual({ search: "", seen: "any", sortBy: "name", sortOrder: "asc" });
  expect(checkContacts(wrong).ignored).toHaveLength(4);
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
    const view = requestsViewOf(new URLSearchParams(query));
    return requests.filter((request) => isShown(request, view)).map(({ status }) => String(status));
  };
  expect(shown("")).toEqual(["Open", "Planned", "Started"]);
  expect(shown("status=Declined")).toEqual(["Declined"]);
  expect(shown("severity=2&search=E%CC%81XPORT")).toEqual(["Planned", "Started"]);
  expect(shown("search=done")).toEqual([]);
  expect(checkRequests(new URLSearchParams("status=Open&severity=5&search=x")).ignored).toEqual([]);
  expect(checkRequests(new URLSearchParams("status=open&severity=1")).ignored).toHaveLength(2);
});

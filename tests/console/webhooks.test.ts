import { expect, test } from "bun:test";
import { changeTypes } from "../../src/changes/model.ts";
import {
  textOfFirstTypes,
  textOfType,
  typeGroups,
} from "../../src/console/app/pages/webhooks/change-types.ts";
import { stateOfWebhook, textOfOutcome } from "../../src/console/app/pages/webhooks/webhook-state.ts";
import { attemptErrors } from "../../src/webhooks/send/attempt.ts";

test("the form has each type of changes once, in words", () => {
  const types = typeGroups.flatMap((group) => group.types.map(({ type }): string => type));
  expect(types.toSorted()).toEqual([...changeTypes].toSorted());
  expect(["contact.created", "account.health_changed", "health_settings.updated"].map(textOfType)).toEqual([
    "Contact created",
    "Account health tier changed",
    "Health score changed",
  ]);
  expect(changeTypes.filter((type) => textOfType(type) === type)).toEqual([]);
  expect(textOfType("invoice.paid")).toBe("invoice.paid");
});

test("the types of a webhook are named up to two, and counted beyond", () => {
  const types = ["contact.created", "meeting.deleted", "account.created", "account.updated"];
  expect([1, 2, 3, 4].map((count) => textOfFirstTypes(types.slice(0, count)))).toEqual([
    "Contact created",
    "Contact created, Meeting deleted",
    "Contact created, Meeting deleted +1",
    "Contact created, Meeting deleted +2",
  ]);
});

test("a webhook that the service set to inactive is disabled, a webhook that a user set to inactive is paused, an active webhook with retries fails", () => {
  const states = [
    { active: true, retryingCount: 0, disabledReason: null },
    { active: true, retryingCount: 1, disabledReason: null },
    { active: false, retryingCount: 1, disabledReason: null },
    { active: false, retryingCount: 1, disabledReason: "410" },
  ].map(stateOfWebhook);
  expect(states).toEqual(["active", "failing", "paused", "disabled"]);
});

test("the outcome of an attempt is in words, each reason of a failure too", () => {
  const outcome = (
    responseStatus: number | null,
    error: string | null,
    durationMilliseconds: number | null,
  ) => textOfOutcome({ responseStatus, error, durationMilliseconds });
  expect(outcome(null, null, null)).toBeUndefined();
  expect(outcome(204, null, 12)).toBe("HTTP 204 · 12 ms");
  expect(outcome(503, "status", 1_500)).toBe("HTTP 503 · 1,500 ms");
  expect(outcome(null, "timeout", 15_000)).toBe("No response in 15 seconds · 15,000 ms");
  const inWords = attemptErrors.filter((error) => outcome(null, error, null) !== error);
  expect(inWords).toEqual(attemptErrors.filter((error) => error !== "aborted"));
});

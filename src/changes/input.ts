import { type Static, Type } from "@sinclair/typebox";
import { changeActions } from "../core/changes/changes.ts";
import { invalidParameter } from "../core/errors.ts";
import type { TimeRange } from "../core/lists/time-ranges.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { choice, parameter, wholeNumberParameter } from "../http/validation/shapes.ts";
import { resourceTypes, subResourceList } from "../shared/resources.ts";
import { changeFormats } from "./present.ts";

export const maxLimit = 1_000;
const maxWaitSeconds = 30;

const filterParameters = {
  resource: Type.Optional(
    choice(resourceTypes, {
      description: `Only changes of this resource; also \`account.deleted\`, which deletes the ${subResourceList} of the account`,
    }),
  ),
  action: Type.Optional(choice(changeActions, { description: "Only changes of this kind" })),
};

export const ChangeFeedQuery = Type.Object(
  {
    after: Type.Optional(
      wholeNumberParameter({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: "Only changes after this sequence number; 0 for the beginning",
      }),
    ),
    limit: Type.Optional(
      wholeNumberParameter({
        minimum: 1,
        maximum: maxLimit,
        default: maxLimit,
        description:
          "Maximum number of changes in the response; fewer when the next one would bring it over 2 MiB",
      }),
    ),
    wait: Type.Optional(
      wholeNumberParameter({
        minimum: 0,
        maximum: maxWaitSeconds,
        default: 0,
        description:
          "Without a matching change, the response waits for one for at most this number of seconds, and a too old `after` is 410",
      }),
    ),
    ...filterParameters,
    format: Type.Optional(
      choice(changeFormats, {
        description:
          "`cloudevents`: a list of events of CloudEvents 1.0, and `Link` with the next request. Default: `accountd`",
      }),
    ),
  },
  { additionalProperties: true },
);

export const ChangeStreamQuery = Type.Object(
  {
    after: Type.Optional(
      wholeNumberParameter({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "Only changes after this sequence number. Default: changes from now on",
      }),
    ),
    ...filterParameters,
    format: Type.Optional(
      choice(changeFormats, {
        description: "`cloudevents`: each change is an event of CloudEvents 1.0. Default: `accountd`",
      }),
    ),
  },
  { additionalProperties: true },
);

const changeTime = (description: string) =>
  parameter({ type: "string", format: "iso-8601", description, examples: ["2026-01-02T03:04:05.678Z"] });

export const ChangeSummaryQuery = Type.Object(
  {
    from: Type.Optional(
      changeTime("Only changes that were made at or after this time. Default: all that are stored"),
    ),
    to: Type.Optional(changeTime("Only changes that were made before this time. Default: all until now")),
  },
  { additionalProperties: true },
);

/** The range of a query that was validated. Throws `invalid_request` when `from` is after `to`. */
export function readChangeTimes(query: Static<typeof ChangeSummaryQuery>): TimeRange {
  const [from = null, to = null] = [query.from, query.to].map((text) =>
    text === undefined ? null : parseTimestamp(text),
  );
  if (from !== null && to !== null && from > to)
    throw invalidParameter("from", "after_to", "must not be after to");
  return { from, to };
}

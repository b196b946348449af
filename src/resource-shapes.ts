import { Type } from "@sinclair/typebox";
import { createSubResourceShapes, type SubResourceDescription } from "./http/resource/sub-resource-shapes.ts";
import { text } from "./http/validation/shapes.ts";
import { ofSubResources } from "./resources.ts";
import { resourceOf, type SubResourceName } from "./shared/resources.ts";

const request = { title: "Single sign-on", severity: 4, requestedAt: "2026-01-02T03:04:05.678Z" };
const descriptions: Record<SubResourceName, SubResourceDescription> = {
  contacts: {
    about: "A person at",
    aboutEmbedded: "The first 100 contacts by id",
    searched: "name or e-mail address",
    filters: {
      email: Type.Optional(
        text({
          maxLength: 254,
          description:
            "Only the contacts with this e-mail address, in any letter case and form of the domain. Write `+` as `%2B`",
        }),
      ),
      userId: Type.Optional(text({ maxLength: 255, description: "Only the contact with this userId" })),
    },
    example: { name: "Ada Lovelace", email: "ada@example.com" },
  },
  meetings: {
    about: "A meeting with",
    aboutEmbedded: "The 20 latest meetings that have begun, latest first",
    searched: "title",
    example: {
      title: "Quarterly review",
      startAt: "2026-01-02T15:00:00+01:00",
      endAt: "2026-01-02T16:00:00+01:00",
    },
  },
  requests: {
    about: "A feature request of",
    aboutEmbedded: "The 100 latest requests, latest first",
    searched: "title",
    example: request,
    change: { status: "Done" },
    put: { ...request, status: "Planned" },
  },
};

export const subResourceShapes = ofSubResources((name, { list }) =>
  createSubResourceShapes(resourceOf(name), list.definition, descriptions[name]),
);

import type { TObject } from "@sinclair/typebox";
import { contactBodies } from "./contacts/input.ts";
import { AccountContact, Contact } from "./contacts/model.ts";
import { requestBodies } from "./feature-requests/input.ts";
import { AccountFeatureRequest, FeatureRequest } from "./feature-requests/model.ts";
import { meetingBodies } from "./meetings/input.ts";
import { AccountMeeting, Meeting } from "./meetings/model.ts";
import type { SubResourceName } from "./shared/resources.ts";

type SubResourceShapes = {
  row: TObject;
  /** A row within its account, and what the list has there. */
  embedded: TObject;
  about: string;
  bodies: { put: TObject };
};

/** The wire shapes of every sub-resource of accounts. */
export const subResourceShapes = {
  contacts: {
    row: Contact,
    embedded: AccountContact,
    about: "The first 100 contacts by id",
    bodies: contactBodies,
  },
  meetings: {
    row: Meeting,
    embedded: AccountMeeting,
    about: "The 20 latest meetings that have begun, latest first",
    bodies: meetingBodies,
  },
  requests: {
    row: FeatureRequest,
    embedded: AccountFeatureRequest,
    about: "The 100 latest requests, latest first",
    bodies: requestBodies,
  },
} as const satisfies Record<SubResourceName, SubResourceShapes>;
export type ShapesOf = typeof subResourceShapes;

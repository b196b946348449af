import { subResourceList } from "../../../../shared/resources.ts";

/** The page of API keys. */
export const keys = {
  title: "Keys",
  lead: "A key lets a person sign in here, or a program use the API, as far as its scopes allow. Revoked and expired keys stay in the list.",
  unnamed: "No name",
  unnamedKey: (lastFour: string) => `Key …${lastFour}`,
  thisSession: "This session",
  state: "State",
  states: { active: "Active", expired: "Expired", revoked: "Revoked" },
  lastUsed: "Last used",
  never: "Never",
  default: "Default",
  create: {
    title: "Create key",
    namePlaceholder: "Who or what the key is for",
    noScope: "Choose a scope.",
    scopes: {
      read: "Read all data except keys",
      write: `Change accounts, ${subResourceList}`,
      events: "Send events and last-seen times",
      admin: "Manage keys and settings, and erase persons",
    },
    expiries: {
      never: "Never",
      1: "In 1 day",
      30: "In 30 days",
      90: "In 90 days",
      365: "In 1 year",
      date: "On a day",
    },
    day: "Day of expiry",
  },
  revoke: {
    action: "Revoke",
    actionOn: (name: string) => `Revoke ${name}`,
    title: "Revoke key",
    stops: "stops working at once and for good.",
    neverUsed: "It was never used.",
    lastUsed: (age: string) => `It was last used ${age}.`,
    own: "You are signed in with this key: revoking it signs you out, here and everywhere.",
  },
  secret: {
    title: (name: string) => `Key ${name}`,
    label: "Key",
    lost: (lastFour: string) =>
      `The key was created, but the response with it was lost. Revoke …${lastFour} and create another key.`,
    once: "Copy the key now. It is not shown again: this dialog stays open until Done.",
  },
};

import type { components } from "../../../../../clients/typescript/src/schema.ts";

type Delivery = components["schemas"]["WebhookDelivery"];

const created = "Created";
const updated = "Changed";
const deleted = "Deleted";

/** The page of webhooks and their deliveries. */
export const webhooks = {
  title: "Webhooks",
  table: "Webhooks, table",
  lead: "A webhook sends each change to an address of yours: to a program, an automation service or a Slack channel.",
  none: "There is no webhook yet",
  noneAdvice: "With one, another system learns of a change within a second, without asking for it.",
  all: "All webhooks",
  missing: "Webhook not found",
  missingAdvice: "It was deleted, or belongs to another organization.",
  types: "Sends",
  allTypes: "All changes",
  moreTypes: (types: string, count: number) => `${types} +${count}`,
  format: "Format",
  formats: { accountd: "JSON, as in the API", cloudevents: "CloudEvents 1.0", slack: "Slack message" },
  order: "Order",
  orders: {
    account: "Each account in its order",
    strict: "All changes in one order",
  },
  state: "State",
  states: { active: "Active", failing: "Failing", paused: "Paused", disabled: "Disabled" },
  failing: (count: number, number: string) =>
    `${count === 1 ? "1 delivery was" : `${number} deliveries were`} not accepted so far, and will be attempted again.`,
  latestError: (outcome: string) => `Latest error: ${outcome}.`,
  disabled: (time: string, reason: string) =>
    `accountd disabled it on ${time}. ${reason} Resume it after the cause is fixed: it goes on where it stopped.`,
  pending: "Waiting",
  oldSecret: (time: string) => `Requests are also signed with the secret before, until ${time}.`,
  form: {
    create: "Create webhook",
    edit: "Edit webhook",
    urlHint: "An https address that your server, or Slack, gives you.",
    descriptionPlaceholder: "What the webhook is for",
    all: "All changes, also kinds that later versions add",
    noType: "Choose a kind of change.",
    orderHint: "In one order, a change that cannot be delivered delays all changes after it.",
  },
  groups: {
    account: "Accounts",
    contact: "Contacts",
    meeting: "Meetings",
    request: "Requests",
    health_settings: "Settings",
  },
  actions: {
    created,
    updated,
    deleted,
    health_changed: "Health tier changed",
    settings: "Health score changed",
  },
  /** Such as "Contact created". */
  type: (noun: string, action: string) => `${noun} ${action.toLowerCase()}`,
  nouns: {
    account: "Account",
    contact: "Contact",
    meeting: "Meeting",
    request: "Request",
    health_settings: "Health score",
  },
  edit: "Edit",
  pause: "Pause",
  paused: "Paused",
  resume: "Resume",
  resumed: "Resumed: it goes on where it stopped",
  more: "More",
  test: {
    action: "Send test",
    title: "Test",
    sending: "A sample is being sent. This takes at most 15 seconds.",
    delivered: "The address accepted the sample.",
    failed: "The sample was not accepted.",
    again: "Send again",
  },
  rotate: {
    action: "Replace secret",
    text: "A new secret is shown once. For 24 hours, requests are signed with the old secret too, so that your receiver can change over without a gap.",
  },
  remove: {
    action: "Delete webhook",
    text: "Nothing more is sent to the address, and its deliveries are deleted.",
  },
  replay: {
    action: "Deliver again",
    since: "Deliver all changes since",
    text: "All changes since then are delivered again, the oldest first, also those that were delivered. A receiver knows them by their webhook-id.",
    none: "There was no change since then.",
    done: (sequence: number) => `Changes after number ${sequence} are delivered again`,
  },
  secret: {
    title: "Secret of the webhook",
    label: "Secret",
    once: "Your receiver verifies signatures with this secret. Copy it now. It is not shown again: this dialog stays open until Done.",
    lost: "The webhook is stored, but the response with its secret was lost. Replace the secret to get another one.",
  },
  deliveries: {
    title: "Deliveries",
    noun: "deliveries",
    refresh: "Refresh",
    all: "All deliveries",
    statuses: {
      pending: "Waiting",
      delivered: "Delivered",
      failed: "Failed",
    } satisfies Record<Delivery["status"], string>,
    none: "No deliveries",
    noneAdvice: "The next change that the webhook sends is shown here. Deliveries are kept for 30 days.",
    noneOf: {
      pending: "No waiting deliveries",
      delivered: "No successful deliveries",
      failed: "No failed deliveries",
    } satisfies Record<Delivery["status"], string>,
    meaningOf: {
      pending: "A delivery waits for its next attempt, or for the deliveries before it.",
      delivered: "A delivery was successful when the response was a status from 200 to 299.",
      failed:
        "A delivery has failed after its last attempt, about six days after the first. Until then it waits.",
    } satisfies Record<Delivery["status"], string>,
    change: "Change",
    unknown: "A change that is not stored any more",
    attempts: "Attempts",
    response: "Response",
    time: "Last attempt",
    next: "Next attempt",
    due: "Now",
    body: "Response text",
    retry: "Retry",
    retryOf: (sequence: number) => `Retry delivery ${sequence}`,
    retried: "It is due now, after the deliveries before it",
  },
  milliseconds: (count: string) => `${count} ms`,
  http: (status: number) => `HTTP ${status}`,
  errors: {
    timeout: "No response in 15 seconds",
    name_not_found: "The name of the server was not found",
    address_not_allowed: "The server has an address that is not allowed",
    connection_refused: "The server refused the connection",
    connection_closed: "The server closed the connection",
    connection_failed: "The connection failed",
    tls_failed: "The certificate is not valid",
    invalid_response: "The response was not HTTP",
    redirect: "A redirect, which is not followed",
    change_expired: "The change is not stored any more",
  },
};

import { createSubResourceRoutes } from "../http/resource/resource-routes.ts";
import { ContactListQuery, contactBodies } from "./input.ts";
import { Contact, presentContact } from "./model.ts";
import { contactList, contactStore } from "./store.ts";

/** The operations on contacts. */
export const contactRoutes = createSubResourceRoutes({
  plural: "contacts",
  noun: "contact",
  title: "Contact",
  conflicts: ["contact_email_conflict"],
  shape: Contact,
  query: ContactListQuery,
  bodies: contactBodies,
  present: presentContact,
  list: contactList,
  store: contactStore,
});

import { childRoutes } from "../http/resource-routes.ts";
import { ContactChangesBody, ContactListQuery, ContactPutBody, NewContactBody } from "./input.ts";
import { Contact, ContactPage, presentContact } from "./model.ts";
import { contactStore, listContacts } from "./store.ts";

/** The people at accounts. */
export const contactRoutes = childRoutes({
  plural: "contacts",
  noun: "contact",
  title: "Contact",
  shape: Contact,
  page: ContactPage,
  query: ContactListQuery,
  newBody: NewContactBody,
  changesBody: ContactChangesBody,
  putBody: ContactPutBody,
  conflicts: ["contact_email_conflict"],
  present: presentContact,
  list: listContacts,
  store: contactStore,
});

import { tenantRoutes } from "../http/guard.ts";
import { createResourceHandlers } from "../http/resource-handlers.ts";
import { createResourceSchemas } from "../http/resource-schemas.ts";
import { pageOf } from "../http/shapes.ts";
import {
  ContactChangesBody,
  ContactListQuery,
  ContactPutBody,
  type ContactQuery,
  NewContactBody,
} from "./input.ts";
import { Contact, presentContact } from "./model.ts";
import { contactList, contactStore } from "./store.ts";

const schemas = createResourceSchemas(
  {
    plural: "contacts",
    noun: "contact",
    title: "Contact",
    idName: "contactId",
    conflicts: ["contact_email_conflict"],
  },
  {
    resource: Contact,
    query: ContactListQuery,
    create: NewContactBody,
    update: ContactChangesBody,
    put: ContactPutBody,
  },
);
const handlers = createResourceHandlers({
  path: "/api/v1/contacts",
  idName: "contactId",
  present: presentContact,
  list: (snapshot, accountId, query: ContactQuery) =>
    contactList.read(snapshot, { ...query, ...pageOf(query), accountId }),
  store: contactStore,
});

/** The operations on contacts. */
export const contactRoutes = tenantRoutes("/api/v1")
  .get("/accounts/:accountId/contacts", handlers.list, schemas.list)
  .post("/accounts/:accountId/contacts", handlers.create, schemas.create)
  .get("/contacts/:contactId", handlers.get, schemas.get)
  .patch("/contacts/:contactId", handlers.update, schemas.update)
  .delete("/contacts/:contactId", handlers.delete, schemas.delete)
  .get("/contacts/external/:externalId", handlers.getByExternalId, schemas.getByExternalId)
  .delete("/contacts/external/:externalId", handlers.deleteByExternalId, schemas.deleteByExternalId)
  .put("/contacts/external/:externalId", handlers.put, schemas.put);

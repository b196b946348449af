import { tenantRoutes } from "../http/guard/guard.ts";
import { createResourceHandlers } from "../http/resource/handlers.ts";
import { createResourceSchemas } from "../http/resource/schemas.ts";
import { createResourceOperations } from "../http/resource/write-operations.ts";
import { ContactListQuery, contactBodies } from "./input.ts";
import { Contact, presentContact } from "./model.ts";
import { contactList, contactStore } from "./store.ts";

const names = {
  plural: "contacts",
  noun: "contact",
  title: "Contact",
  idName: "contactId",
  conflicts: ["contact_email_conflict"],
} as const;
const schemas = createResourceSchemas(names, {
  resource: Contact,
  query: ContactListQuery,
  ...contactBodies,
});
const handlers = createResourceHandlers(names, {
  present: presentContact,
  list: contactList,
  store: contactStore,
});

/** The writes that batches may have. */
export const contactOperations = createResourceOperations(names, schemas, handlers.writes);

/** The operations on contacts. */
export const contactRoutes = tenantRoutes("/api/v1")
  .get("/accounts/:accountId/contacts", handlers.list, schemas.list)
  .post("/accounts/:accountId/contacts", handlers.create, schemas.create)
  .get("/contacts/:contactId", handlers.get, schemas.get)
  .patch("/contacts/:contactId", handlers.update, schemas.update)
  .delete("/contacts/:contactId", handlers.delete, schemas.delete)
  .get("/contacts/external/:externalId", handlers.getByExternalId, schemas.getByExternalId)
  .delete("/contacts/external/:externalId", handlers.deleteByExternalId, schemas.deleteByExternalId)
  .put("/contacts/external/:externalId", handlers.put, schemas.put)
  .get("/contacts", handlers.listAll, schemas.listAll);

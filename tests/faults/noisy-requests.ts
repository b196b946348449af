const accounts = "/api/v1/accounts";

export const searchByName = `${accounts}?search=o`;

/** Requests that read many rows of the organization. `{id}`: an account. */
export const heavyRequests: readonly string[] = [
  `${accounts}/{id}/requests?status=Open&page=4000&sortBy=updatedAt`,
  `${accounts}/{id}/requests?status=Open&page=4000&sortBy=createdAt`,
  `${accounts}/{id}/requests?page=5000&sortBy=updatedAt`,
  `${accounts}/{id}/requests?status=Open&page=4000&sortBy=title`,
  `${accounts}/{id}/meetings?page=5000&sortBy=title`,
  `${accounts}/{id}/requests?page=5000&sortBy=createdAt`,
  `${accounts}/{id}/requests?search=o&sortBy=requestedAt`,
  `${accounts}/{id}/requests?status=Open&sortBy=title`,
  `${accounts}/{id}/meetings?page=5000&sortBy=createdAt`,
  `${accounts}/{id}/requests?search=o&sortBy=severity`,
  `${accounts}/{id}/requests?page=5000&sortBy=title`,
  "/api/v1/requests?search=o&sortBy=requestedAt",
  `${accounts}/{id}/contacts?page=5000&sortBy=name`,
  `${accounts}/{id}/contacts?page=5000&sortBy=createdAt`,
  `${accounts}/{id}/requests?status=Open&sortBy=updatedAt`,
  `${accounts}/{id}/requests?search=o&sortBy=title`,
  `${accounts}?search=o&sortBy=updatedAt`,
  `${accounts}/{id}/meetings?search=o&sortBy=title`,
  `${accounts}?search=o&sortBy=mrr&page=300`,
  `${accounts}?search=o&sortBy=updatedAt&status=active`,
  `${accounts}?search=o&sortBy=mrr`,
  `${accounts}/{id}/meetings?search=zzzz&sortBy=startAt`,
  `${accounts}?search=o&sortBy=createdAt`,
  `${accounts}?search=orb&sortBy=mrr`,
  `${accounts}/{id}/contacts?search=o&sortBy=name`,
  `${accounts}/{id}/meetings?sortBy=title`,
  "/api/v1/requests?status=Open&page=4000&sortBy=updatedAt",
  "/api/v1/requests?search=zzzz&sortBy=title",
  searchByName,
  `${accounts}?page=6000&sortBy=name`,
];

/** Of each kind one: sorts on a thread, of accounts and of one account's rows, and a search of the index of names. */
export const kindsOfHeavyRequests: readonly string[] = [
  `${accounts}?search=o&sortBy=mrr`,
  `${accounts}/{id}/requests?sortBy=title`,
  searchByName,
];

/** What is shown instead of a page, and above it. */
export const pages = {
  notFound: "Page not found",
  notFoundText: "There is no page at this address.",
  showOverview: "Show the overview",
  missingScopes: (scopes: readonly string[]) =>
    `This page needs a key with the scope ${scopes.join(" and ")}. Sign out, and sign in with another key.`,
  ignored: "A part of the address has no effect:",
  ignoredReason:
    "This page does not have it, or cannot read it, so more may be shown than the address was meant for.",
  removeIgnored: "Remove it from the address",
};

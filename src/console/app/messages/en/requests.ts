/** The page of the feature requests of all accounts. */
export const requests = {
  lead: "Ranked by the MRR of the account. Requests of churned and inactive accounts are last.",
  search: "Search titles",
  unresolved: "All open requests",
  anySeverity: "Any severity",
  minSeverity: (severity: number) => (severity === 5 ? "Severity 5" : `Severity ${severity} and more`),
  none: "No request matches",
  noneYet: "No open requests",
  noneAdvice: "Add a request on the page of its account.",
  noMatchAdvice: "Change the search or the filters.",
  noneYetFound: "No request found so far",
  noneYetFoundAdvice:
    "Only the accounts with the highest MRR were searched. Show more to search the next ones.",
};

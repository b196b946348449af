/** The page of the contacts of all accounts. */
export const contacts = {
  search: "Search name or e-mail",
  seenOptions: {
    any: "Seen at any time",
    week: "Seen in the last 7 days",
    quiet: "Not seen for 30 days",
    never: "Never seen",
  },
  created: "Added",
  noMatch: "No contact matches",
  noMatchAdvice: "Change the search or the filter.",
  none: "No contacts yet",
  noneAdvice: "Add the persons that you talk to on the pages of their accounts.",
};

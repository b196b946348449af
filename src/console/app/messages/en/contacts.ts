/** The page of the contacts of all accounts. */
export const contacts = {
  title: "Contacts",
  noun: "contacts",
  search: "Search name or e-mail",
  seen: "Last seen",
  seenOptions: {
    any: "Seen at any time",
    week: "Seen in the last 7 days",
    quiet: "Not seen for 30 days",
    never: "Never seen",
  },
  name: "Name",
  email: "E-mail",
  account: "Account",
  lastSeen: "Last seen",
  created: "Added",
  noMatch: "No contact matches",
  noMatchAdvice: "Change the search or the filter.",
  none: "No contacts yet",
  noneAdvice: "Add the persons that you talk to on the pages of their accounts.",
};

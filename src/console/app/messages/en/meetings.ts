/** The page of the meetings of all accounts. */
export const meetings = {
  title: "Meetings",
  noun: "meetings",
  search: "Search titles",
  coming: "Coming",
  comingTable: "Coming meetings, table",
  past: "Past",
  pastTable: "Past meetings, table",
  start: "Start",
  meeting: "Meeting",
  account: "Account",
  noneComing: "No coming meetings",
  nonePast: "No past meetings",
  noneAdvice: "Add a meeting on the page of its account.",
  noMatchAdvice: "Change the search.",
};

/** The page of the meetings of all accounts. */
export const meetings = {
  title: "Meetings",
  noun: "meetings",
  search: "Search titles",
  coming: "Upcoming",
  comingTable: "Upcoming meetings",
  past: "Past",
  pastTable: "Past meetings",
  meeting: "Meeting",
  noneComing: "No upcoming meetings",
  nonePast: "No past meetings",
  noneAdvice: "Add a meeting on the page of its account.",
  noMatchAdvice: "Change the search.",
};

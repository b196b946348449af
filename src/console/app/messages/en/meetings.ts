/** The page of the meetings of all accounts. */
export const meetings = {
  search: "Search titles",
  coming: "Upcoming",
  comingTable: "Upcoming meetings",
  past: "Past",
  pastTable: "Past meetings",
  noneComing: "No upcoming meetings",
  nonePast: "No past meetings",
  noneAdvice: "Add a meeting on the page of its account.",
  noMatchAdvice: "Change the search.",
};

/** What cards, lists and requests have in common. */
export const layout = {
  documentTitle: (title: string) => `${title} – accountd`,
  loading: "Loading",
  showMore: (rows: string) => `Show more ${rows.toLowerCase()}`,
  tryAgain: "Try again",
  request: "Request",
  unreachable: "The server cannot be reached.",
  unreachableAdvice: "Check the connection, and try again.",
  fault: "This page has a fault.",
  faultAdvice: "Reload it, and report it to the operator if it occurs again.",
};

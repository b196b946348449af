/** Plots and their tables. */
export const plots = {
  table: "Table",
  tableOf: (title: string) => `${title}, table`,
  day: "Day",
};

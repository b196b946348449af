/** Parts of several pages. */
export const components = {
  actions: "Actions",
  yes: "Yes",
  no: "No",
};

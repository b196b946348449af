/** Parts of several pages. */
export const components = {
  actions: "Actions",
  edit: "Edit",
  remove: "Delete",
  more: "More",
  yes: "Yes",
  no: "No",
  secret: {
    copy: "Copy",
    copied: "Copied",
    notCopied: "Copy the selected text by the keyboard.",
    done: "Done",
  },
};

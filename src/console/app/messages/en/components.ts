/** Parts of several pages. */
export const components = {
  actions: "Actions",
  yes: "Yes",
  no: "No",
  secret: {
    copy: "Copy",
    copied: "Copied",
    notCopied: "Copy the selected text by the keyboard.",
    done: "Done",
  },
};

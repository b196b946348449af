/** The API reference, of which the viewer has its own texts. */
export const reference = {
  failed: "The API reference could not be loaded. Reload the page to try again.",
};

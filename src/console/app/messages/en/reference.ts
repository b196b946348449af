/** The page of the API reference. The viewer has its own texts. */
export const reference = {
  session: (name: string, lastFour: string) =>
    `Requests without an API key use your session of the console, of the key ${name === "" ? "" : `${name} `}…${lastFour}. To copy a curl line, enter a key with Authorize.`,
  failed: "The API reference could not be loaded. Reload the page to try again.",
};

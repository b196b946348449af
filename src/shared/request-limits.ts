/** The largest body of a request in bytes, and so the longest row of a file in characters. */
export const maxBodyBytes = 1_048_576;
/** The depth of JSON in a body of one row. */
export const maxJsonDepth = 8;
/** The most items of one request: accounts, events, operations, rows. */
export const maxRequestItems = 1_000;

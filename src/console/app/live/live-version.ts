import { createContext } from "preact";

/** Increases when the data of the page are to be read again. 0 on pages that are not live. */
export const LiveVersion = createContext(0);

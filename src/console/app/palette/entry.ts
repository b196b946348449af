import type { IconName } from "../components/icon.tsx";

/** A line of the palette. `detail` is next to its label. */
export type PaletteEntry = { key: string; icon: IconName; label: string; detail?: string; run: () => void };
/** The entries that are found without a request. */
export type PaletteCommands = { pages: readonly PaletteEntry[]; actions: readonly PaletteEntry[] };
export type PaletteGroup = { label: string; entries: readonly PaletteEntry[] };

/** The search over pages, actions, accounts and contacts. */
export const palette = {
  title: "Search and commands",
  label: "Search accounts, contacts, pages and actions",
  placeholder: "Search or go to…",
  groups: { pages: "Pages", actions: "Actions" },
  searching: "Searching…",
  nothing: (search: string) => `Nothing matches “${search}”.`,
  count: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  allAccounts: (search: string) => `All accounts with “${search}”`,
  allContacts: (search: string) => `All contacts with “${search}”`,
  accountsFailed: "The accounts could not be searched.",
  contactsFailed: "The contacts could not be searched.",
  keys: [
    ["↑ ↓", "choose"],
    ["Enter", "open"],
    ["Esc", "close"],
  ] as const,
};

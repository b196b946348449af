/** The page of the sign-in. */
export const signingIn = {
  documentTitle: "Sign in – accountd",
  title: "Sign in to accountd",
  lead: "Your customers, how they use your product, and who may leave.",
  label: "API key",
  placeholder: "ak_…",
  submit: "Sign in",
  busy: "Signing in…",
  noKey: "You have no key?",
  askForKey:
    "Ask the person who runs accountd in your company, or a colleague who sees the page Keys. Paste the key here: the browser stays signed in for at most 12 hours.",
  operator: "You run accountd?",
  createKey: "This command creates a key:",
  command: "accountd keys create --organization NAME --scope read,write,events,admin",
  link: "A start with sample data also prints a link that signs in once, without a key. With the scope read alone, nothing can be changed.",
};

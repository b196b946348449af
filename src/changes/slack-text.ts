const maxLength = 80;
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
/** Marks of formats have no escape: characters that look alike. */
const lookalikes: Readonly<Record<string, string>> = { "*": "∗", "`": "ˋ", "~": "∼" };

/**
 * A text as a part of a message of Slack, in one line of at most 80 characters before escaping: nobody is mentioned by it,
 * and it has no links and no bold text. Source: Slack, "Formatting text for app surfaces".
 */
export function escapeForSlack(text: string): string {
  // An attribute has up to 32 kB: a longer text than the limit is enough to cut.
  const line = text
    .slice(0, maxLength * 4)
    .toWellFormed()
    // Also characters that change the direction of the text behind them.
    .replace(/[\p{Cc}\s\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  const characters = [...line];
  const cut =
    characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join("")}…` : line || "blank";
  return (
    cut
      .replace(/[&<>*`~]/g, (character) => escapes[character] ?? lookalikes[character] ?? "")
      // A zero-width space: `@channel` of a text is no mention. An address stays as it is.
      .replace(/(?<![\w.+-])@(?=\w)/g, "@\u200b")
  );
}

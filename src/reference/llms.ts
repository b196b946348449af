import { guideNames, guides } from "../shared/guides.ts";

/** What a language model reads first: a title, a summary and links (llmstxt.org). */
export function llmsIndex(): string {
  return `# accountd

> A multi-tenant HTTP API and console for customer accounts: contacts, meetings, feature requests, product-usage events and health scores.

- [All guides in one file](/llms-full.txt)
- [OpenAPI document](/docs/json): \`?tag=TAG\` and \`?operations=ID\` select a part of it

## Guides

${guideNames.map((name) => `- [${guides[name].title}](/docs/guides/${name}): ${guides[name].about}`).join("\n")}
`;
}

import { type GuideName, guideNames, guides } from "../shared/guides.ts";
import { markAddress } from "../shared/mark.ts";

/** The page of a guide. Its links are relative, because a proxy may serve the program below a path. */
export function guidePage(name: GuideName, markdown: string): string {
  const { content, sections } = renderGuide(markdown);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${guides[name].title} – accountd</title>
<link rel="icon" href="${markAddress}">
<link rel="stylesheet" href="../assets/guide.css">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a href="../../"><img src="${markAddress}" alt="" width="24" height="24">accountd</a>
<nav aria-label="Guides">
<a href="../../docs">API reference</a>
${guideNames.map((guide) => `<a href="${guide}"${guide === name ? ' aria-current="page"' : ""}>${guides[guide].title}</a>`).join("\n")}
</nav>
</header>
<div class="columns">
<nav class="sections" aria-label="On this page">
${sections.map(({ id, title }) => `<a href="#${id}">${title}</a>`).join("\n")}
</nav>
<main id="content" tabindex="-1">
${content}</main>
</div>
</html>
`;
}

type GuideSection = { id: string; title: string };

function renderGuide(markdown: string): { content: string; sections: GuideSection[] } {
  const html = Bun.markdown.html(markdown.replace(/^<!--.*-->$/gm, ""), {
    headings: { ids: true },
    noHtmlBlocks: true,
    noHtmlSpans: true,
  });
  const sections = [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(([, id = "", title = ""]) => ({
    id,
    title: title.replace(/<[^>]+>/g, ""),
  }));
  const content = new HTMLRewriter()
    .on("a[href]", { element: finishLink })
    .on("table", {
      element(table) {
        // The keyboard scrolls what has the focus.
        table.before('<div class="scroll" tabindex="0" role="group" aria-label="Table">', { html: true });
        table.after("</div>", { html: true });
      },
    })
    .on("th", { element: (cell) => void cell.setAttribute("scope", "col") })
    .on("pre", { element: (block) => void block.setAttribute("tabindex", "0") })
    .transform(html);
  return { content, sections };
}

/** The files of `docs/examples` that a guide links to. */
const exampleLink = /\]\(examples\/([a-z]+\.[a-z]+)\)/g;

/** Adds each example that a guide links to as a section at its end. `read` returns the text of a file of `docs/examples`. */
export async function withExamples(
  markdown: string,
  read: (name: string) => Promise<string>,
): Promise<string> {
  const names = new Set([...markdown.matchAll(exampleLink)].map(([, name = ""]) => name));
  const sections = [...names].map(async (name) => `\n## ${name}\n\n\`\`\`\n${await read(name)}\`\`\`\n`);
  return [markdown, ...(await Promise.all(sections))].join("");
}

/** A link to another guide refers to its page. One to a file of the repository, which is not served, becomes text. */
function finishLink(link: HTMLRewriterTypes.Element): void {
  const address = addressOf(link.getAttribute("href") ?? "");
  if (address === undefined) link.removeAndKeepContent();
  else link.setAttribute("href", address);
}

/** The address of a link, relative to the pages of the guides: `recipes.md#x` is `recipes#x`. None for a file that is not served. */
function addressOf(href: string): string | undefined {
  if (/^(?:#|https:)/.test(href)) return href;
  if (href.startsWith("examples/")) return `#${href.slice("examples/".length).replace(".", "")}`;
  const [, guide, heading = ""] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  return guide && guide + heading;
}

/** The Markdown of a guide for `/llms-full.txt`: its links to guides and headings are paths of the server, such as `/docs/guides/recipes#x`. */
export function servedMarkdown(name: GuideName, markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text: string, href: string) => {
    const address = addressOf(href);
    if (address === undefined) return text;
    if (address.startsWith("https:")) return link;
    return `[${text}](/docs/guides/${address.startsWith("#") ? name + address : address})`;
  });
}

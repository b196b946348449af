/** Saves content that the page has, under a name, as a download. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has opened the content by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f49d6"/><g fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round"><circle cx="14.5" cy="16.5" r="6.5" opacity=".4"/><path d="M14.5 10a6.5 6.5 0 1 0 6.5 6.5M22 9v14.2"/></g></svg>`;

/** The address of the product's mark as a data URL: a score's ring that is an "a". For icons of pages and `img`. */
export const markAddress = `data:image/svg+xml,${encodeURIComponent(mark)}`;

/** The cursor of the next page of a list; null at its end. */
export function nextCursorOf(pagination: object): string | null {
  return "nextCursor" in pagination && typeof pagination.nextCursor === "string"
    ? pagination.nextCursor
    : null;
}

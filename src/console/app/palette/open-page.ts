import { leavePage, navigate } from "../router.ts";

/** Opens a page of the console from its top. Another page is opened after the question of a page that must not be left. */
export function openPage(href: string): void {
  const open = () => {
    navigate(href);
    scrollTo(0, 0);
  };
  if (new URL(href, location.origin).pathname === location.pathname) open();
  else leavePage(open);
}

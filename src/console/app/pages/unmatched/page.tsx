import { PageTitle } from "../../components/page-title.tsx";

export function UnmatchedPage() {
  return <PageTitle title="Unmatched events" />;
}

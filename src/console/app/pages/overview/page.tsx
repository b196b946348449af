import { PageTitle } from "../../components/page-title.tsx";

export function OverviewPage() {
  return <PageTitle title="Overview" />;
}

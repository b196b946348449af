import { PageTitle } from "../../components/page-title.tsx";

export function ImportPage() {
  return <PageTitle title="Import" />;
}

import { PageTitle } from "../../components/page-title.tsx";

export function ApiPage() {
  return <PageTitle title="API" />;
}

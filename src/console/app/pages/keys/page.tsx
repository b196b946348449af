import { PageTitle } from "../../components/page-title.tsx";

export function KeysPage() {
  return <PageTitle title="Keys" />;
}

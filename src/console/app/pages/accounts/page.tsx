import { PageTitle } from "../../components/page-title.tsx";

export function AccountsPage() {
  return <PageTitle title="Accounts" />;
}

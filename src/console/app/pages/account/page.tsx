import { PageTitle } from "../../components/page-title.tsx";

export function AccountPage({ accountId }: { accountId: number }) {
  return <PageTitle title={`Account ${accountId}`} />;
}

import { PageHead } from "../../parts/page-head.tsx";

export function AdminPage() {
  return <PageHead title="Admin" />;
}

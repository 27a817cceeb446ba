import { PageHead } from "../../parts/page-head.tsx";

export function ActivityPage() {
  return <PageHead title="Activity" />;
}

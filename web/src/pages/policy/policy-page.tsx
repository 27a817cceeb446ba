import { PageHead } from "../../parts/page-head.tsx";

export function PolicyPage() {
  return <PageHead title="Policy" />;
}

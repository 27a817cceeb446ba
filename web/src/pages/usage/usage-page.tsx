import { PageHead } from "../../parts/page-head.tsx";

export function UsagePage() {
  return <PageHead title="Usage" />;
}

import { PageHead } from "../../parts/page-head.tsx";

export function ToolPage() {
  return <PageHead title="Tool" />;
}

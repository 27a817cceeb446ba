import { PageHead } from "../../parts/page-head.tsx";

export function CallPage() {
  return <PageHead title="Call" />;
}

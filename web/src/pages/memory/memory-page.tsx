import { useUrl } from "../../app/use-url.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { MemoriesPart } from "./memories-part.tsx";

/** What agents and people remember. */
export function MemoryPage() {
  const [{ owner }] = useUrl();
  return (
    <>
      <PageHead title="Memory" />
      <MemoriesPart key={owner} owner={owner} />
    </>
  );
}

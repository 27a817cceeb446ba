import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { DocumentsPart } from "./documents-part.tsx";
import { MemoriesPart } from "./memories-part.tsx";

const tabs = [
  { name: "memories", title: "Memories" },
  { name: "documents", title: "Documents" },
] as const;

/** What agents and people remember, and the documents that they look things up in. */
export function MemoryPage() {
  const [{ view, owner }, change] = useUrl();
  const { may } = useMe();
  const isDocuments = view === "documents";
  return (
    <>
      <PageHead title="Memory" />
      {(may("knowledge:manage") || isDocuments) && (
        <Tabs
          tabs={tabs}
          chosen={isDocuments ? "documents" : "memories"}
          choose={(name) => change({ view: name, entry: undefined, sort: undefined, query: undefined })}
        />
      )}
      {isDocuments ? <DocumentsPart /> : <MemoriesPart owner={owner} />}
    </>
  );
}

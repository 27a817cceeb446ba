import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { oneLine } from "../tools/filter-tools.ts";
import { changesOf } from "./changes-of.ts";
import { NoSuchTool } from "./no-such-tool.tsx";
import classes from "./tool-page.module.css";

// With the fields of forms, which are as much as everything else: what the tool does is read meanwhile.
const ToolDesk = lazy(async () => ({ default: (await import("./tool-desk.tsx")).ToolDesk }));

/** One tool: what it does, its form, and how it ended. */
export function ToolPage() {
  const { name = "" } = useParams({ strict: false });
  const { me } = useMe();
  // The list is what other pages show, too; nothing of a tool is more than there.
  const { data, error, refetch } = useQuery(reading("tools.list", { decisions: true }));
  const listed = data?.items.find((each) => each.name === name);
  const [tool, setTool] = useState(listed);
  const [before, setBefore] = useState<Item<"tools.list">>();
  // A tool that is not offered any more stays as long as somebody looks at it, with what they typed.
  if (listed && listed.hash !== tool?.hash) {
    setTool(listed);
    // Of several changes somebody sees all at once.
    setBefore((known) => (tool?.name !== listed.name ? undefined : (known ?? tool)));
  }
  if (error && !tool) return <Failure error={error} retry={() => void refetch()} />;
  if (!data || !me) return <Waiting />;
  if (tool?.name !== name) return <NoSuchTool name={name} />;
  return (
    <>
      <PageHead title={tool.title} tab={tool.name}>
        <code className="dim">{tool.name}</code>
      </PageHead>
      <Description tool={tool} />
      {!listed && <p role="alert">This tool is not offered any more. What you typed is kept: copy it, or ask who manages the tools.</p>}
      {listed && before && <ToolChanged before={before} tool={tool} onRead={() => setBefore(undefined)} />}
      <Suspense fallback={<Waiting rows={6} />}>
        <ToolDesk key={tool.name} tool={tool} me={me} />
      </Suspense>
    </>
  );
}

interface ToolChangedProps {
  readonly before: Item<"tools.list">;
  readonly tool: Item<"tools.list">;
  readonly onRead: () => void;
}

/** The form is the new one already. */
function ToolChanged({ before, tool, onRead }: ToolChangedProps) {
  const changes = changesOf(before, tool);
  return (
    <div role="alert" className={classes.changed}>
      <p>
        This tool changed while you had it open{changes.length > 0 && ` (${changes.join("; ")})`}. What you typed is kept: look it over
        before you run it.
      </p>
      <Button size="compact-sm" variant="default" onClick={onRead}>
        Understood
      </Button>
    </div>
  );
}

/** Written for models, so people see its first sentence. */
function Description({ tool }: { readonly tool: Item<"tools.list"> }) {
  const first = oneLine(tool);
  const more = tool.description.slice(first.length).trim();
  if (more === "") return <p className={classes.description}>{first}</p>;
  return (
    <details className={classes.description}>
      <summary>{first}</summary>
      <p>{more}</p>
    </details>
  );
}

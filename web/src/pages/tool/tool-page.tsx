import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { oneLine } from "../tools/filter-tools.ts";
import { ToolDesk } from "./tool-desk.tsx";
import classes from "./tool-page.module.css";

/** One tool: what it does, its form, and how it ended. */
export function ToolPage() {
  const { name = "" } = useParams({ strict: false });
  const { me } = useMe();
  // The list is what other pages show, too; nothing of a tool is more than there.
  const { data, error, refetch } = useQuery(reading("tools.list", { decisions: true }));
  const listed = data?.items.find((each) => each.name === name);
  const [tool, setTool] = useState(listed);
  // A tool that is not offered any more stays as long as somebody looks at it, with what they typed.
  if (listed && listed.hash !== tool?.hash) setTool(listed);
  if (error && !tool) return <Failure error={error} retry={() => void refetch()} />;
  if (!data || !me) return <Waiting />;
  if (tool?.name !== name) return <NoSuchTool name={name} />;
  return (
    <>
      <PageHead title={tool.title} tab={tool.name}>
        <code className="dim">{tool.name}</code>
      </PageHead>
      <Description tool={tool} />
      {!listed && <p role="alert">This tool is not offered any more. What you typed is kept.</p>}
      <ToolDesk key={tool.name} tool={tool} me={me} />
    </>
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

function NoSuchTool({ name }: { readonly name: string }) {
  return (
    <>
      <PageHead title="No such tool" />
      <Empty title={`There is no tool ${name} for you`} act={<Link to="/tools">See the tools that there are</Link>}>
        It may have been removed or renamed, or it needs a permission that you do not have.
      </Empty>
    </>
  );
}

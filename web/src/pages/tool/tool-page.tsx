import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { RequestError } from "../../api/client.ts";
import { type Answer, reading } from "../../api/queries.ts";
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
  const { data: tool, error, refetch } = useQuery({ ...reading("tools.get", { name }), refetchOnWindowFocus: false });
  if (error instanceof RequestError && error.code === "tool_not_found" && !tool) return <NoSuchTool name={name} />;
  if (error && !tool) return <Failure error={error} retry={() => void refetch()} />;
  if (!tool || !me) return <Waiting />;
  return (
    <>
      <PageHead title={tool.title} tab={tool.name}>
        <code className="dim">{tool.name}</code>
      </PageHead>
      <Description tool={tool} />
      {error && <p role="alert">This tool is not offered any more. What you typed is kept.</p>}
      <ToolDesk key={tool.name} tool={tool} me={me} />
    </>
  );
}

/** Written for models, so people see its first sentence. */
function Description({ tool }: { readonly tool: Answer<"tools.get"> }) {
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

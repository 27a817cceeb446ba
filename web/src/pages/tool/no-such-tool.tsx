import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { WhyButton } from "../../why/why-button.tsx";

/** A tool that is not offered. Who may know of it learns what hides it. */
export function NoSuchTool({ name }: { readonly name: string }) {
  const { may } = useMe();
  const { data } = useQuery({ ...reading("tools.survey", { tool: name }), enabled: may("catalogue:explain") });
  const entry = data?.items.find(({ visible }) => !visible);
  if (entry) return <HiddenTool entry={entry} />;
  return (
    <>
      <PageHead title="No such tool" />
      <Empty title={`There is no tool ${name} for you`} act={<Link to="/tools">See the tools that there are</Link>}>
        It may have been removed or renamed, or it needs a permission that you do not have.
      </Empty>
    </>
  );
}

function HiddenTool({ entry: { tool, state, reason, change } }: { readonly entry: Item<"tools.survey"> }) {
  const isWaiting = state === "misconfigured";
  return (
    <>
      <PageHead title={tool.title} tab={tool.name}>
        <code className="dim">{tool.name}</code>
      </PageHead>
      <Empty
        title={isWaiting ? "This tool is misconfigured" : "This tool is not offered"}
        act={
          isWaiting && change?.kind === "secret" ? (
            <Link to="/admin/$part" params={{ part: "secrets" }}>
              Set its secrets
            </Link>
          ) : (
            <Link to="/tools">See the tools that there are</Link>
          )
        }
      >
        <strong>{state}</strong> {reason} <WhyButton about={{ tool: tool.name }} name={tool.name} />
      </Empty>
    </>
  );
}

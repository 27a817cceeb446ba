import { useQuery } from "@tanstack/react-query";
import { type Answer, reading } from "../api/queries.ts";
import { OutputView } from "./output-view.tsx";

/** The output of a call that the log has, as its tool wants it read now. */
export function RunOutput({ run }: { readonly run: Pick<Answer<"runs.get">, "tool" | "output"> }) {
  const { data, isPending } = useQuery(reading("tools.list", { decisions: true }));
  const tool = data?.items.find(({ name }) => name === run.tool);
  if (isPending) return null;
  return <OutputView output={run.output} schema={tool?.outputSchema} view={tool?.presentation.view} />;
}

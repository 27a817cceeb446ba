import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { reading } from "../../api/queries.ts";
import type { UrlState } from "../../app/use-url.ts";
import { FilterText } from "../../parts/filter-text.tsx";
import classes from "./activity-page.module.css";
import { decisions, doors, spans, statuses } from "./run-filter.ts";

type Choice = string | { readonly value: string; readonly label: string };

interface FiltersProps {
  readonly url: UrlState;
  readonly change: (members: UrlState, how?: { readonly replace?: boolean }) => void;
}

/** What of all calls is listed. The URL has it. */
export function ActivityFilters({ url, change }: FiltersProps) {
  const { data } = useQuery(reading("tools.list", { decisions: true }));
  const select = (name: string, label: string, choices: readonly Choice[]) => (
    <NativeSelect
      aria-label={label}
      data={[{ value: "", label: `Any ${label.toLowerCase()}` }, ...withOwn(choices, url[name])]}
      value={url[name] ?? ""}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  const text = (name: string, label: string) => (
    <FilterText
      label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      value={url[name] ?? ""}
      onChange={(value) => change({ [name]: value }, { replace: true })}
    />
  );
  return (
    <search className={classes.filters}>
      {select(
        "tool",
        "Tool",
        (data?.items ?? []).map(({ name }) => name),
      )}
      {text("person", "Person")}
      {text("agent", "Agent")}
      {select("door", "Door", doors)}
      {select("decision", "Decision", decisions)}
      {select("status", "Outcome", statuses)}
      {select(
        "span",
        "Time",
        spans.filter(({ value }) => value !== "").map(({ value, label }) => ({ value, label })),
      )}
    </search>
  );
}

/** A link may name what is not offered here. */
function withOwn(choices: readonly Choice[], value: string | undefined): readonly Choice[] {
  const isOffered = choices.some((choice) => (typeof choice === "string" ? choice : choice.value) === value);
  return value === undefined || value === "" || isOffered ? choices : [...choices, value];
}

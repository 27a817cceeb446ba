import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useDeferredValue, useMemo, useState } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useTypedText } from "../../app/use-typed-text.ts";
import { useUrl } from "../../app/use-url.ts";
import { DecisionWord, NeedsSetup } from "../../parts/decision-word.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { type RowIndex, VirtualList } from "../../parts/virtual-list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { WhyDialog, WhyOpener } from "../../why/why-button.tsx";
import { EffectWords } from "./effect-words.tsx";
import { choicesOf, type Filters, filterTools, type ListedTool, oneLine } from "./filter-tools.ts";
import { HiddenTools } from "./hidden-tools.tsx";
import classes from "./tools-page.module.css";
import { useRelated } from "./use-related.ts";

const rowHeight = 37;
const filterNames = ["group", "kind", "origin", "category", "permission", "decision"] as const;

/** Every tool that the person may use, by what it does and what happens when it is called. */
export function ToolsPage() {
  const { may } = useMe();
  const [url, change] = useUrl();
  const { data, error, refetch } = useQuery(reading("tools.list", { decisions: true }));
  const survey = useQuery({ ...reading("tools.survey", {}), enabled: may("catalogue:explain") });
  const [typed, type] = useTypedText(url.q ?? "", (q) => change({ q }, { replace: true }));
  const sought = useDeferredValue(typed);
  const [explained, explain] = useState<string>();
  const { tools, hidden } = useMemo(() => listed(data?.items ?? [], survey.data?.items ?? []), [data, survey.data]);
  const shown = useMemo(() => filterTools(tools, { ...(url as Filters), q: sought }), [tools, url, sought]);
  const among = useMemo(() => filterTools(tools, { ...(url as Filters), q: "" }), [tools, url]);
  const related = useRelated(typed, { among, shown });
  const count = shown.length + related.length;
  return (
    <>
      <PageHead title="Tools" />
      <search className={classes.filters}>
        <TextInput
          aria-label="Search tools"
          placeholder="Search, or describe what you want to do"
          className={classes.search}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
        />
        {filterNames.map((name) => (
          <Filter key={name} name={name} tools={tools} value={url[name]} onChange={(value) => change({ [name]: value })} />
        ))}
      </search>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Waiting rows={8} />}
      {data && count > 0 && <ToolRows tools={shown} related={related} explain={explain} />}
      {data && count === 0 && <NoTools total={tools.length} clear={() => change({ q: undefined, ...noFilters })} />}
      {hidden.length > 0 && (
        <HiddenTools
          tools={hidden}
          isOpen={url.hidden === "show"}
          onToggle={(open) => change({ hidden: open ? "show" : undefined })}
          explain={explain}
        />
      )}
      {explained !== undefined && <WhyDialog about={{ tool: explained }} name={explained} close={() => explain(undefined)} />}
    </>
  );
}

/** What waits for nothing but to be set up stands among the tools, since it is to be seen to; what is hidden on purpose does not. */
function listed(offered: readonly ListedTool[], survey: readonly Item<"tools.survey">[]) {
  const unseen = survey.filter(({ visible }) => !visible);
  const waiting = unseen.filter(isMisconfigured);
  const tools = waiting.length === 0 ? offered : [...offered, ...waiting.map((entry) => ({ ...entry.tool, lacks: entry }))];
  return {
    tools: tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    hidden: unseen.filter((entry) => !isMisconfigured(entry)),
  };
}

const isMisconfigured = ({ state }: Item<"tools.survey">) => state === "misconfigured";

const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined]));

interface FilterProps {
  readonly name: (typeof filterNames)[number];
  readonly tools: readonly ListedTool[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Offered where there is something to choose between. */
function Filter({ name, tools, value, onChange }: FilterProps) {
  const data = useMemo(() => choicesOf(tools, name), [tools, name]);
  if (data.length < 2 && value === undefined) return null;
  return (
    <NativeSelect
      aria-label={`Filter by ${name}`}
      className={classes.filter}
      data={[{ value: "", label: `Any ${name}` }, ...data]}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}

interface ToolRowsProps {
  readonly tools: readonly ListedTool[];
  /** Below the others, so that none of them moves when these come. */
  readonly related: readonly ListedTool[];
  readonly explain: (tool: string) => void;
}

function ToolRows({ tools, related, explain }: ToolRowsProps) {
  const rows = [...tools, ...related];
  const row = (index: number, tabIndex: RowIndex) => {
    const tool = rows[index];
    return (
      <>
        {index === tools.length && <h2 className={classes.related}>Related</h2>}
        {tool && <ToolRow tool={tool} tabIndex={tabIndex} explain={explain} />}
      </>
    );
  };
  return (
    <VirtualList
      label={`${tools.length} tools${related.length > 0 ? `, ${related.length} related` : ""}`}
      className={classes.box}
      isMeasured
      count={rows.length}
      height={rowHeight}
      beyond={12}
      keyOf={(index) => `${index < tools.length ? "" : "related "}${rows[index]?.name}`}
      row={row}
    />
  );
}

interface ToolRowProps {
  readonly tool: ListedTool;
  readonly tabIndex: RowIndex;
  readonly explain: (tool: string) => void;
}

const ToolRow = memo(function ToolRow({ tool, tabIndex, explain }: ToolRowProps) {
  return (
    <div className={classes.item}>
      <Link to="/tools/$name" params={{ name: tool.name }} className={classes.row} tabIndex={tabIndex} data-row>
        <span className={classes.name}>{tool.name}</span>
        <span className={classes.line}>{oneLine(tool)}</span>
        <span className={classes.group}>{tool.group}</span>
        <EffectWords tool={tool} />
        <span className={classes.decision}>
          <Decision tool={tool} />
        </span>
      </Link>
      <WhyOpener name={tool.name} onOpen={explain} tabIndex={tabIndex} />
    </div>
  );
});

function Decision({ tool: { lacks, decision, depends, approval } }: { readonly tool: ListedTool }) {
  if (lacks) return <NeedsSetup secrets={lacks.missingSecrets} reason={lacks.reason} />;
  if (!decision) return null;
  const { effect } = decision;
  const words = effect === "ask" && approval === "always_ask" ? "Always asks" : depends ? dependingWords[effect] : undefined;
  return <DecisionWord effect={effect} {...(words && { words })} />;
}

/** Whether a call runs is known when its input is. */
const dependingWords = { allow: "Runs or asks", ask: "Asks", deny: "Blocked" } as const;

function NoTools({ total, clear }: { readonly total: number; readonly clear: () => void }) {
  if (total === 0)
    return (
      <Empty title="No tools yet">
        Tools that you may use appear here. On the machine of the server, <code>toolwright new</code> writes the first one.
      </Empty>
    );
  return (
    <Empty
      title="No tool fits"
      act={
        <button type="button" onClick={clear}>
          Show all {total} tools
        </button>
      }
    >
      Try fewer words, or another filter.
    </Empty>
  );
}

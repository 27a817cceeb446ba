import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useDeferredValue, useMemo, useState } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useTypedText } from "../../app/use-typed-text.ts";
import { useUrl } from "../../app/use-url.ts";
import { DecisionWord } from "../../parts/decision-word.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { type RowIndex, VirtualList } from "../../parts/virtual-list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { WhyDialog, WhyOpener } from "../../why/why-button.tsx";
import { choicesOf, type Filters, filterTools, oneLine } from "./filter-tools.ts";
import { HiddenTools } from "./hidden-tools.tsx";
import classes from "./tools-page.module.css";

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
  const shown = useMemo(() => filterTools(data?.items ?? [], { ...(url as Filters), q: sought }), [data, url, sought]);
  const hidden = useMemo(() => survey.data?.items.filter(({ visible }) => !visible) ?? [], [survey.data]);
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
          <Filter key={name} name={name} tools={data?.items ?? []} value={url[name]} onChange={(value) => change({ [name]: value })} />
        ))}
      </search>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Waiting rows={8} />}
      {data && shown.length > 0 && <ToolRows tools={shown} explain={explain} />}
      {data && shown.length === 0 && <NoTools total={data.items.length} clear={() => change({ q: undefined, ...noFilters })} />}
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

const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined]));

interface FilterProps {
  readonly name: (typeof filterNames)[number];
  readonly tools: readonly Item<"tools.list">[];
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
  readonly tools: readonly Item<"tools.list">[];
  readonly explain: (tool: string) => void;
}

function ToolRows({ tools, explain }: ToolRowsProps) {
  return (
    <VirtualList
      label={`${tools.length} tools`}
      className={classes.box}
      isMeasured
      count={tools.length}
      height={rowHeight}
      beyond={30}
      keyOf={(index) => tools[index]?.name ?? ""}
      row={(index, tabIndex) => tools[index] && <ToolRow tool={tools[index]} tabIndex={tabIndex} explain={explain} />}
    />
  );
}

interface ToolRowProps {
  readonly tool: Item<"tools.list">;
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
        <span className={classes.decision}>
          {tool.decision && (
            <DecisionWord effect={tool.decision.effect} {...(tool.depends && { words: dependingWords[tool.decision.effect] })} />
          )}
        </span>
      </Link>
      <WhyOpener name={tool.name} onOpen={explain} tabIndex={tabIndex} />
    </div>
  );
});

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

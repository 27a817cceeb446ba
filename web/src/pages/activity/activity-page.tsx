import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { type Item, reading } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { useMe } from "../../app/use-me.ts";
import { type UrlState, useUrl } from "../../app/use-url.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When, wordsOfDuration } from "../../parts/when.tsx";
import { saveText } from "../../result/save-text.ts";
import { toCsv } from "../../result/shape-of.ts";
import { StatusWord } from "../../result/status-word.tsx";
import classes from "./activity-page.module.css";
import { filterOf, type RunFilter, spans, statuses } from "./run-filter.ts";

type Run = Item<"runs.list">;

const pageSize = 100;
const rowHeight = 36;

/** Every call of the tenant, newest first. */
export function ActivityPage() {
  const { may, me } = useMe();
  const [url, change] = useUrl();
  if (me && !may("log:read"))
    return (
      <>
        <PageHead title="Activity" />
        <Empty title="The log needs a permission">
          Ask an owner of the tenant for log:read. Your own calls stay on the pages of their tools.
        </Empty>
      </>
    );
  return (
    <>
      <PageHead title="Activity">
        <Export filter={filterOf(url)} />
        <VerifyLog />
      </PageHead>
      <Filters url={url} change={change} />
      {me && <Runs key={JSON.stringify(filterOf(url))} filter={filterOf(url)} />}
    </>
  );
}

function Filters({
  url,
  change,
}: {
  readonly url: UrlState;
  readonly change: (members: UrlState, how?: { readonly replace?: boolean }) => void;
}) {
  const { data } = useQuery(reading("tools.list", { decisions: true }));
  const tools = (data?.items ?? []).map(({ name }) => name);
  return (
    <search className={classes.filters}>
      <NativeSelect
        aria-label="Tool"
        data={[{ value: "", label: "Any tool" }, ...tools, ...(url.tool && !tools.includes(url.tool) ? [url.tool] : [])]}
        value={url.tool ?? ""}
        onChange={(event) => change({ tool: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Outcome"
        data={[{ value: "", label: "Any outcome" }, ...statuses]}
        value={url.status ?? ""}
        onChange={(event) => change({ status: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Time"
        data={spans.map(({ value, label }) => ({ value, label }))}
        value={url.span ?? ""}
        onChange={(event) => change({ span: event.currentTarget.value })}
      />
      <TextInput
        aria-label="Agent"
        placeholder="Any agent"
        defaultValue={url.agent ?? ""}
        onChange={(event) => change({ agent: event.currentTarget.value.trim() }, { replace: true })}
      />
    </search>
  );
}

function Runs({ filter }: { readonly filter: RunFilter }) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["activity", filter] as const,
    queryFn: ({ pageParam, signal }) =>
      api().operate("runs.list", { ...filter, limit: pageSize, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    refetchOnWindowFocus: false,
    meta: { isSteady: true },
  });
  const runs = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const fresh = useFresh(filter, runs[0]);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting rows={10} />;
  if (runs.length === 0 && fresh === 0)
    return (
      <Empty title="No calls" act={<Link to="/tools">Run a tool</Link>}>
        Each call of a person, an agent or a program appears here, with who made it and how it ended.
      </Empty>
    );
  return (
    <>
      <p role="status" className={classes.fresh}>
        {fresh > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => void refetch()}>
            {fresh < pageSize ? `${fresh} new` : `${pageSize} or more new`}
          </Button>
        )}
      </p>
      <Rows runs={runs} more={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()} />
    </>
  );
}

/** How many calls came since the list was read: it does not move under the pointer. */
function useFresh(filter: RunFilter, newest: Run | undefined): number {
  const { data } = useQuery(reading("runs.list", { ...filter, limit: pageSize }));
  const at = data?.items.findIndex(({ id }) => id === newest?.id) ?? 0;
  return newest === undefined ? (data?.items.length ?? 0) : at < 0 ? pageSize : at;
}

function Rows({ runs, more }: { readonly runs: readonly Run[]; readonly more: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: runs.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const shown = getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= runs.length - 20) more();
  }, [last, runs.length, more]);
  return (
    <div ref={box} className={classes.box}>
      <ul className={classes.rows} style={{ height: getTotalSize() }} aria-label="Calls, newest first">
        {shown.map(({ index, start }) => {
          const run = runs[index];
          return (
            run && (
              <li key={run.id} style={{ transform: `translateY(${start}px)` }} aria-setsize={-1} aria-posinset={index + 1}>
                <Row run={run} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function Row({ run }: { readonly run: Run }) {
  return (
    <Link to="/calls/$id" params={{ id: run.id }} className={classes.row}>
      <StatusWord status={run.status} />
      <span className={classes.tool}>{run.tool}</span>
      <span className={classes.who}>{run.agent ?? run.caller.id}</span>
      <span className={classes.door}>{run.door}</span>
      <span className={classes.time}>{run.durationMs === null ? "" : wordsOfDuration(run.durationMs)}</span>
      <span className={classes.time}>
        <When at={run.startedAt} />
      </span>
    </Link>
  );
}

const mostExported = 10_000;

/** What is filtered, page by page, as a file. */
function Export({ filter }: { readonly filter: RunFilter }) {
  const [words, setWords] = useState<string>();
  const save = async (kind: "csv" | "jsonl") => {
    const runs: Run[] = [];
    let after: string | undefined;
    try {
      do {
        const page = await api().operate("runs.list", { ...filter, limit: 500, ...(after !== undefined && { after }) });
        runs.push(...page.items);
        after = page.next;
        setWords(`${runs.length} calls read …`);
      } while (after !== undefined && runs.length < mostExported);
      const columns = ["id", "startedAt", "tool", "status", "caller", "agent", "door", "durationMs", "error"];
      const rows = runs.map((run) => ({ ...run, startedAt: new Date(run.startedAt).toISOString(), caller: run.caller.id }));
      if (kind === "csv") saveText("calls.csv", "text/csv", toCsv(columns, rows));
      else saveText("calls.jsonl", "application/jsonl", runs.map((run) => `${JSON.stringify(run)}\n`).join(""));
      setWords(after === undefined ? `${runs.length} calls saved.` : `The newest ${runs.length} calls saved; there are more.`);
    } catch (error) {
      setWords(wordsOf(error));
    }
  };
  return (
    <>
      <span className="dim small" role="status">
        {words}
      </span>
      <Button size="compact-sm" variant="default" onClick={() => void save("csv")}>
        Save as CSV
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => void save("jsonl")}>
        Save as JSONL
      </Button>
    </>
  );
}

/** Checks the chain of each session's log. */
function VerifyLog() {
  const [words, setWords] = useState<string>();
  const verify = async () => {
    try {
      const { items, more } = await api().operate("events.heads", { limit: 1000 });
      let events = 0;
      const broken: string[] = [];
      for (const [index, { session }] of items.entries()) {
        setWords(`${index} of ${items.length} sessions checked …`);
        const report = await api().operate("events.verify", { session });
        events += report.events;
        if (report.faults.length > 0) broken.push(session);
      }
      const rest = more > 0 ? ` ${more} older sessions were not looked at.` : "";
      setWords(
        broken.length === 0
          ? `The log is whole: ${events} events in ${items.length} sessions.${rest}`
          : `The log is broken in ${broken.join(", ")}. toolwright log verify says where.${rest}`,
      );
    } catch (error) {
      setWords(wordsOf(error));
    }
  };
  return (
    <>
      <span className="dim small" role="status">
        {words}
      </span>
      <Button size="compact-sm" variant="default" onClick={() => void verify()}>
        Verify the log
      </Button>
    </>
  );
}

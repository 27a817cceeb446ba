import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useCallback, useMemo } from "react";
import { api } from "../../api/client.ts";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { type RowIndex, VirtualList } from "../../parts/virtual-list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When, wordsOfDuration } from "../../parts/when.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import { ActivityFilters } from "./activity-filters.tsx";
import classes from "./activity-page.module.css";
import { filterOf, type RunFilter } from "./run-filter.ts";
import { SaveCalls } from "./save-calls.tsx";
import { VerifyLog } from "./verify-log.tsx";

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
        <SaveCalls filter={filterOf(url)} />
        <VerifyLog />
      </PageHead>
      <ActivityFilters url={url} change={change} />
      {me && <Runs key={JSON.stringify(filterOf(url))} filter={filterOf(url)} />}
    </>
  );
}

function Runs({ filter }: { readonly filter: RunFilter }) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["activity", filter] as const,
    // Lists do not move under the pointer: what is new is told above.
    meta: { isStill: true },
    queryFn: ({ pageParam, signal }) =>
      api().operate("runs.list", { ...filter, limit: pageSize, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    refetchOnWindowFocus: false,
  });
  const runs = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const more = useCallback(
    () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  );
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
      <VirtualList
        label="Calls, newest first"
        className={classes.box}
        count={runs.length}
        height={rowHeight}
        keyOf={(index) => runs[index]?.id ?? ""}
        row={(index, tabIndex) => runs[index] && <Row run={runs[index]} tabIndex={tabIndex} />}
        onEnd={more}
      />
    </>
  );
}

/** How many calls came since the list was read: it does not move under the pointer. */
function useFresh(filter: RunFilter, newest: Run | undefined): number {
  const { data } = useQuery(reading("runs.list", { ...filter, limit: pageSize }));
  const at = data?.items.findIndex(({ id }) => id === newest?.id) ?? 0;
  return newest === undefined ? (data?.items.length ?? 0) : at < 0 ? pageSize : at;
}

const Row = memo(function Row({ run, tabIndex }: { readonly run: Run; readonly tabIndex: RowIndex }) {
  return (
    <Link to="/calls/$id" params={{ id: run.id }} className={classes.row} tabIndex={tabIndex} data-row>
      <StatusWord status={run.status} />
      <span className={classes.tool}>{run.tool}</span>
      <span className={classes.who}>
        {run.agent === null || run.agent === run.caller.id ? run.caller.id : `${run.agent} for ${run.caller.id}`}
      </span>
      <span className={classes.door}>{run.door}</span>
      <span className={classes.time}>{run.durationMs === null ? "" : wordsOfDuration(run.durationMs)}</span>
      <span className={classes.time}>
        <When at={run.startedAt} />
      </span>
    </Link>
  );
});

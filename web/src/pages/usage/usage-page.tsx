import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { DataTable } from "../../result/data-table.tsx";
import { CallBars } from "./call-bars.tsx";
import classes from "./usage-page.module.css";
import { groups, spans, wordsOfUsage } from "./usage-rows.ts";

/** Calls, errors, durations, tokens and cost, by what somebody chooses. */
export function UsagePage() {
  const { may, me } = useMe();
  const [url, change] = useUrl();
  const by = groups.find(({ value }) => value === url.by)?.value ?? "tool";
  const span = spans.find(({ value }) => value === url.span) ?? spans[1];
  // A whole hour, so that one question stays one.
  const since = span.ms === 0 ? 0 : Math.floor((Date.now() - span.ms) / 3_600_000) * 3_600_000;
  const isAllowed = may("log:read");
  const { data, error, refetch } = useQuery({ ...reading("usage.get", { by, since }), enabled: isAllowed });
  return (
    <>
      <PageHead title="Usage">
        <NativeSelect
          aria-label="By"
          data={groups.map((group) => ({ ...group }))}
          value={by}
          onChange={(event) => change({ by: event.currentTarget.value })}
        />
        <NativeSelect
          aria-label="Time"
          data={spans.map(({ value, label }) => ({ value, label }))}
          value={span.value}
          onChange={(event) => change({ span: event.currentTarget.value })}
        />
      </PageHead>
      {me && !isAllowed && <Empty title="Usage needs a permission">Ask an owner of the tenant for log:read.</Empty>}
      {error && <Failure error={error} retry={() => void refetch()} />}
      {isAllowed && !data && !error && <Waiting />}
      {data && data.items.length === 0 && (
        <Empty title="No calls in this time" act={<Link to="/tools">Run a tool</Link>}>
          What tools, agents and hours cost is summed up here.
        </Empty>
      )}
      {data && data.items.length > 0 && <Usage items={data.items} by={by} />}
    </>
  );
}

function Usage({ items, by }: { readonly items: readonly Item<"usage.get">[]; readonly by: string }) {
  const { columns, rows } = wordsOfUsage(items, by);
  const calls = items.reduce((sum, item) => sum + item.calls, 0);
  const failed = items.reduce((sum, item) => sum + item.failed, 0);
  return (
    <div className={classes.usage}>
      <p>
        {calls.toLocaleString("en")} {calls === 1 ? "call" : "calls"}, {failed.toLocaleString("en")} failed.
      </p>
      <CallBars items={items} />
      <DataTable columns={columns} rows={rows} />
    </div>
  );
}

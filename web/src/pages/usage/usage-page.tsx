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
import { OwnLimits } from "./own-limits.tsx";
import classes from "./usage-page.module.css";
import { type Group, gapsOf, groups, spans, wordsOfModels, wordsOfUsage } from "./usage-rows.ts";

/** Calls, errors, durations, tokens and cost, by what somebody chooses. */
export function UsagePage() {
  const { may, me } = useMe();
  const [url, change] = useUrl();
  const group = groups.find(({ value }) => value === url.by) ?? groups[0];
  const span = spans.find(({ value }) => value === url.span) ?? spans[1];
  const isAllowed = may("log:read");
  const { calls, models, isWaiting, error, retry } = useUsage(group, span.ms, isAllowed);
  return (
    <>
      <PageHead title="Usage">
        <NativeSelect
          aria-label="By"
          data={groups.map(({ value, label }) => ({ value, label }))}
          value={group.value}
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
      {error && <Failure error={error} retry={retry} />}
      {isWaiting && <Waiting />}
      {calls.length > 0 && <Calls items={calls} by={group.value} />}
      {models.length > 0 && <Models items={models} by={group.value} />}
      {isAllowed && !isWaiting && !error && calls.length + models.length === 0 && <Nothing ofCalls={group.ofCalls !== undefined} />}
      {me && <OwnLimits />}
    </>
  );
}

/** What the group sums up: calls, requests to models, or both. */
function useUsage({ ofCalls, ofModels }: Group, spanMs: number, isAllowed: boolean) {
  // A whole hour, so that one question stays one.
  const since = spanMs === 0 ? 0 : Math.floor((Date.now() - spanMs) / 3_600_000) * 3_600_000;
  const calls = useQuery({ ...reading("usage.get", { by: ofCalls ?? "tool", since }), enabled: isAllowed && ofCalls !== undefined });
  const models = useQuery({ ...reading("usage.models", { by: ofModels ?? "model", since }), enabled: isAllowed && ofModels !== undefined });
  const asked = [...(ofCalls ? [calls] : []), ...(ofModels ? [models] : [])];
  return {
    calls: (ofCalls && calls.data?.items) || [],
    models: (ofModels && models.data?.items) || [],
    isWaiting: asked.some(({ isLoading }) => isLoading),
    error: asked.find(({ error }) => error)?.error,
    retry: () => void Promise.all(asked.map(({ refetch }) => refetch())),
  };
}

function Calls({ items, by }: { readonly items: readonly Item<"usage.get">[]; readonly by: string }) {
  const { columns, rows } = wordsOfUsage(items, by);
  const calls = items.reduce((sum, item) => sum + item.calls, 0);
  const failed = items.reduce((sum, item) => sum + item.failed, 0);
  return (
    <section className={classes.usage} aria-label="Calls of tools">
      <p>
        {calls.toLocaleString("en")} {calls === 1 ? "call" : "calls"}, {failed.toLocaleString("en")} failed.
      </p>
      <CallBars items={items} />
      <DataTable columns={columns} rows={rows} />
    </section>
  );
}

function Models({ items, by }: { readonly items: readonly Item<"usage.models">[]; readonly by: string }) {
  const { columns, rows } = wordsOfModels(items, by);
  return (
    <section className={classes.usage} aria-labelledby="models">
      <h2 id="models">Models</h2>
      {gapsOf(items).map((gap) => (
        <p key={gap} className="dim">
          {gap}
        </p>
      ))}
      <DataTable columns={columns} rows={rows} />
    </section>
  );
}

function Nothing({ ofCalls }: { readonly ofCalls: boolean }) {
  if (ofCalls)
    return (
      <Empty title="No calls in this time" act={<Link to="/tools">Run a tool</Link>}>
        What tools, agents and hours cost is summed up here.
      </Empty>
    );
  return (
    <Empty title="No agent asked a model in this time" act={<Link to="/chat">Talk to an agent</Link>}>
      Tokens and cost of models are summed up here.
    </Empty>
  );
}

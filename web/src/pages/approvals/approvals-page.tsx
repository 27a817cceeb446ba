import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { reading } from "../../api/queries.ts";
import { ApprovalCard } from "../../approvals/approval-card.tsx";
import { useIsWaiting } from "../../approvals/ending.ts";
import type { Stored } from "../../approvals/stored.ts";
import { useCardKeys } from "../../approvals/use-card-keys.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./approvals-page.module.css";
import { BatchBar } from "./batch-bar.tsx";
import { batchesOf } from "./batches.ts";

/** Calls that wait for a person, oldest first. */
export function ApprovalsPage() {
  const { data, error, refetch } = useQuery(reading("approvals.list", {}));
  const { shown, dismiss } = useKept(data?.items);
  useCardKeys();
  const open = data?.items ?? [];
  return (
    <>
      <PageHead title={open.length === 0 ? "Approvals" : `Approvals ${open.length}`} tab="Approvals" />
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Waiting rows={3} />}
      {batchesOf(open).map((batch) => (
        <BatchBar key={batch.key} batch={batch} />
      ))}
      <div className={classes.cards}>
        {shown.map((id) => (
          <Card key={id} id={id} listed={open.find(({ record }) => record.id === id)} dismiss={() => dismiss(id)} />
        ))}
      </div>
      {data && shown.length === 0 && (
        <Empty title="Nothing waits for you" act={<Link to="/activity">See what ran</Link>}>
          Calls that need a person appear here, with all that would run.
        </Empty>
      )}
    </>
  );
}

/** Cards stay where they are until somebody puts them away; new ones come last. */
function useKept(items: readonly Stored[] | undefined) {
  const [order, setOrder] = useState<readonly string[]>([]);
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const fresh = useMemo(() => (items ?? []).map(({ record }) => record.id).filter((id) => !order.includes(id)), [items, order]);
  if (fresh.length > 0) setOrder([...order, ...fresh]);
  return { shown: [...order, ...fresh].filter((id) => !gone.has(id)), dismiss: (id: string) => setGone(new Set([...gone, id])) };
}

interface CardProps {
  readonly id: string;
  readonly listed: Stored | undefined;
  readonly dismiss: () => void;
}

/** What is no longer in the list was answered, or has expired: the card says by whom. */
function Card({ id, listed, dismiss }: CardProps) {
  const { data, refetch } = useQuery({ ...reading("approvals.get", { id }), enabled: listed === undefined });
  const stored = listed ?? data;
  if (!stored) return <Waiting rows={2} />;
  return (
    <div className={classes.kept}>
      <ApprovalCard stored={stored} onAnswered={() => void refetch()} />
      <PutAway stored={stored} dismiss={dismiss} />
    </div>
  );
}

function PutAway({ stored, dismiss }: { readonly stored: Stored; readonly dismiss: () => void }) {
  if (useIsWaiting(stored)) return null;
  return (
    <Button size="compact-sm" variant="subtle" onClick={dismiss}>
      Put away
    </Button>
  );
}

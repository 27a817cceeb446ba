import { useInfiniteQuery } from "@tanstack/react-query";
import { memo, useCallback, useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer, Item } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { type RowIndex, VirtualList } from "../../parts/virtual-list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { wordsOfDuration } from "../../parts/when.tsx";
import { OutputView } from "../../result/output-view.tsx";
import classes from "./call-page.module.css";
import { tellStory } from "./tell-story.ts";

/** Of the first page, which people wait for, and of those that are read while they scroll. */
const pageSizes = { first: 100, next: 1_000 };
const rowHeight = 32;

/** All events of the call in order. What an event holds is put on the page when it is opened. */
export function RawEvents({ run }: { readonly run: Answer<"runs.get"> }) {
  const { session, id, status } = run;
  const isGoing = status === "running" || status === "pending";
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["events.list", session, id] as const,
    // What has ended does not change any more.
    meta: { isStill: !isGoing },
    queryFn: ({ pageParam, signal }) =>
      api().operate(
        "events.list",
        { session, call: id, ...(pageParam === undefined ? { limit: pageSizes.first } : { limit: pageSizes.next, after: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next,
    refetchOnWindowFocus: false,
  });
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const events = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const more = useCallback(
    () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  const toggle = useCallback(
    (sequence: number) =>
      setOpen((now) => (now.has(sequence) ? new Set([...now].filter((one) => one !== sequence)) : new Set([...now, sequence]))),
    [],
  );
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const begun = events[0]?.event.at ?? run.startedAt;
  return (
    <section className={classes.part}>
      <h2>Events</h2>
      <VirtualList
        label="Events, in order"
        className={classes.events}
        count={events.length}
        height={rowHeight}
        isMeasured
        keyOf={(index) => String(events[index]?.sequence)}
        row={(index, tabIndex) => {
          const stored = events[index];
          return stored && <EventRow {...{ stored, begun, tabIndex, toggle, isOpen: open.has(stored.sequence) }} />;
        }}
        onEnd={more}
      />
    </section>
  );
}

interface EventRowProps {
  readonly stored: Item<"events.list">;
  readonly begun: number;
  readonly tabIndex: RowIndex;
  readonly isOpen: boolean;
  readonly toggle: (sequence: number) => void;
}

const EventRow = memo(function EventRow({ stored, begun, tabIndex, isOpen, toggle }: EventRowProps) {
  const { event, sequence } = stored;
  return (
    <>
      <button type="button" className={classes.event} aria-expanded={isOpen} onClick={() => toggle(sequence)} tabIndex={tabIndex} data-row>
        <span className="dim">#{sequence}</span>
        <span className={classes.told}>{tellStory(stored)}</span>
        <span className={classes.type}>{event.type}</span>
        <span className="dim">after {wordsOfDuration(event.at - begun)}</span>
      </button>
      {isOpen && (
        <div className={classes.body}>
          <OutputView output={event.data} />
        </div>
      )}
    </>
  );
});

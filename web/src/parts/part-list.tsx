import { Button } from "@mantine/core";
import { hashKey, useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { api, visibleText } from "../api/client.ts";
import type { OperationName, OperationTypes } from "../api/queries.ts";
import { Empty } from "./empty.tsx";
import { Failure } from "./failure.tsx";
import { type Column, SortTable } from "./sort-table.tsx";
import { Waiting } from "./waiting.tsx";

type ListName = {
  [Name in OperationName]: OperationTypes[Name]["output"] extends { readonly items: readonly unknown[] } ? Name : never;
}[OperationName];
type Row<Name extends ListName> = OperationTypes[Name]["output"]["items"][number];

interface PartListProps<Name extends ListName> {
  readonly of: Name;
  readonly input?: OperationTypes[Name]["input"];
  readonly label: string;
  readonly columns: readonly Column<Row<Name>>[];
  readonly keyOf: (row: Row<Name>) => string;
  readonly acts?: (row: Row<Name>) => ReactNode;
  /** The row changes by itself: the list is read anew until none does. */
  readonly isGoing?: (row: Row<Name>) => boolean;
  /** What would be here. */
  readonly empty: string;
}

interface Page<Name extends ListName> {
  readonly items: readonly Row<Name>[];
  /** Absent on the last page, and where a list has no pages. */
  readonly next?: string;
}

const lookMs = 1_000;

/** The rows of a listing operation, page by page, with what is said while there are none. */
export function PartList<Name extends ListName>(props: PartListProps<Name>) {
  const { of, input = {}, label, columns, keyOf, acts, isGoing = () => false, empty } = props;
  const queryKey = [of, input, "pages"] as const;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam: after, signal }) =>
      (await api().operate(of, { ...input, ...(after !== undefined && { after }) }, { signal })) as unknown as Page<Name>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isGoing)) ? lookMs : false),
  });
  const shown = data?.pages.length ?? 0;
  const list = hashKey(queryKey);
  const [asked, setAsked] = useState({ list, pages: 1 });
  const wanted = asked.list === list ? asked.pages : 1;
  // A change that is told meanwhile has the pages that are shown read anew, which ends the reading of the next one.
  const isMissing = shown > 0 && shown < wanted && hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (isMissing) void fetchNextPage();
  }, [isMissing, fetchNextPage]);
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting />;
  const more = () => {
    setAsked({ list, pages: shown + 1 });
    if (!isFetchingNextPage) void fetchNextPage();
  };
  const rows = data.pages.flatMap(({ items }) => items);
  const things = label.toLowerCase();
  if (rows.length === 0) return <Empty title={`No ${things}`}>{empty}</Empty>;
  return (
    <>
      <SortTable label={label} columns={columns} rows={rows} keyOf={keyOf} {...(acts && { acts })} />
      {error && <Failure error={error} />}
      {hasNextPage && (
        <p>
          <Button size="compact-sm" variant="default" onClick={more}>
            More {things}
          </Button>{" "}
          <span className="dim small">The first {rows.length} are shown.</span>
        </p>
      )}
    </>
  );
}

/** Which dialog is open, and how it closes. */
export function useDialog(): readonly [dialog: ReactNode, open: (make: (close: () => void) => ReactNode) => void] {
  const [dialog, setDialog] = useState<ReactNode>();
  return [dialog, (make) => setDialog(make(() => setDialog(undefined)))];
}

interface ActProps {
  readonly name: string;
  /** Says of which row. */
  readonly thing: string;
  readonly onClick: () => void;
}

export function Act({ name, thing, onClick }: ActProps) {
  return (
    <Button size="compact-sm" variant="default" aria-label={`${name} ${visibleText(thing)}`} onClick={onClick}>
      {name}
    </Button>
  );
}

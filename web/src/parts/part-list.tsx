import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type OperationName, type OperationTypes, reading } from "../api/queries.ts";
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
  /** What would be here. */
  readonly empty: string;
}

/** The rows of a listing operation, with what is said while there are none. */
export function PartList<Name extends ListName>({ of, input = {}, label, columns, keyOf, acts, empty }: PartListProps<Name>) {
  const { data, error, refetch } = useQuery(reading(of, input));
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting />;
  const rows = (data as { readonly items: readonly Row<Name>[] }).items;
  if (rows.length === 0) return <Empty title={`No ${label.toLowerCase()}`}>{empty}</Empty>;
  return <SortTable label={label} columns={columns} rows={rows} keyOf={keyOf} {...(acts && { acts })} />;
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
    <Button size="compact-sm" variant="default" aria-label={`${name} ${thing}`} onClick={onClick}>
      {name}
    </Button>
  );
}

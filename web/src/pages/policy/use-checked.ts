import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { type Mark, type Members, readText } from "../../editor/document-text.ts";
import { useQuiet } from "../../parts/use-quiet.ts";
import { marksOfLint, marksOfRefusal } from "./findings.ts";

export interface Checked {
  /** The text that was looked at: the one of a moment ago while somebody types. */
  readonly of: string;
  /** Undefined for a text that is no document. */
  readonly document: Members | undefined;
  readonly hasComments: boolean;
  readonly marks: readonly Mark[];
  /** Rules with the tests that they carry. */
  readonly rules: readonly Item<"policy.test">[];
  /** Everything was said of the text as it is now, and none of it is an error. */
  readonly isFit: boolean;
  /** Why the server says nothing of it. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** What is wrong with a text: at once what no document is, and from the server the rest. */
export function useChecked(text: string): Checked {
  const of = useQuiet(text);
  const read = useMemo(() => readText(of), [of]);
  const input = { document: read.document ?? {} };
  const enabled = read.document !== undefined;
  const lint = useQuery({ ...reading("policy.lint", input), enabled });
  const tests = useQuery({ ...reading("policy.test", input), enabled, placeholderData: keepPreviousData });
  const refused = useMemo(() => (lint.error ? marksOfRefusal(lint.error, read) : undefined), [lint.error, read]);
  const marks = useMemo(
    () => [...read.marks, ...(refused ?? (enabled && lint.data ? marksOfLint(lint.data.items, read) : []))],
    [read, refused, lint.data, enabled],
  );
  return {
    ...{ of, marks, document: read.document, hasComments: read.hasComments },
    rules: enabled && !tests.error ? (tests.data?.items ?? []) : [],
    isFit: of === text && enabled && lint.isSuccess && marks.every(({ level }) => level !== "error"),
    error: refused ? undefined : lint.error,
    retry: () => void lint.refetch(),
  };
}

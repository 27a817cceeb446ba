import { Button } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Item } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { saveText } from "../../result/save-text.ts";
import { toCsv } from "../../result/shape-of.ts";
import type { RunFilter } from "./run-filter.ts";

const mostExported = 10_000;

/** What is filtered, page by page, as a file. */
export function SaveCalls({ filter }: { readonly filter: RunFilter }) {
  const [words, setWords] = useState<string>();
  const save = async (kind: "csv" | "jsonl") => {
    const runs: Item<"runs.list">[] = [];
    let after: string | undefined;
    try {
      do {
        const page = await api().operate("runs.list", { ...filter, limit: 500, ...(after !== undefined && { after }) });
        runs.push(...page.items);
        after = page.next;
        setWords(`${runs.length} calls read …`);
      } while (after !== undefined && runs.length < mostExported);
      const columns = [
        "id",
        "startedAt",
        "tool",
        "status",
        "caller",
        "agent",
        "door",
        "source",
        "session",
        "parent",
        "durationMs",
        "error",
      ];
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

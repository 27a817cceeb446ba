import { Button } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { type Item, write } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { PickFiles } from "../../parts/pick-files.tsx";
import { saveText } from "../../result/save-text.ts";
import { readMemories } from "./read-memories.ts";

/** What the server lists, and takes, at once. */
const pageSize = 500;

interface MemoryFilesProps {
  readonly owner?: string;
}

/** All memories of an owner as a file, and back from one, as the command line writes and reads them. */
export function MemoryFiles(of: MemoryFilesProps) {
  const [words, setWords] = useState<string>();
  const save = async () => {
    const all: Item<"memories.list">[] = [];
    let after: string | undefined;
    do {
      const page = await api().operate("memories.list", { ...of, limit: pageSize, ...(after !== undefined && { after }) });
      all.push(...page.items);
      after = page.next;
    } while (after !== undefined);
    saveText("memories.jsonl", "application/jsonl", all.map((each) => `${JSON.stringify(each)}\n`).join(""));
    return `Exported ${all.length}.`;
  };
  const load = async ([file]: readonly File[]) => {
    const items = readMemories((await file?.text()) ?? "");
    const sums = { saved: 0, unchanged: 0 };
    for (let at = 0; at < items.length; at += pageSize) {
      const { saved, unchanged } = await write("memories.import", { ...of, items: items.slice(at, at + pageSize) });
      sums.saved += saved;
      sums.unchanged += unchanged;
    }
    return `Imported ${sums.saved}; ${sums.unchanged} were there already.`;
  };
  const tell = async (work: Promise<string>) => setWords(await work.catch(wordsOf));
  return (
    <>
      <Button variant="default" onClick={() => void tell(save())}>
        Export
      </Button>
      <PickFiles variant="default" accept=".jsonl,.json" take={(files) => tell(load(files))}>
        Import
      </PickFiles>
      <span className="dim small" role="status">
        {words}
      </span>
    </>
  );
}

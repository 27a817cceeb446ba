import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { visibleText } from "../../api/client.ts";
import { type Item, reading, write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, textOf, textOr } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { When } from "../../parts/when.tsx";
import { MemoryDetail } from "./memory-detail.tsx";
import { MemoryFiles } from "./memory-files.tsx";
import classes from "./memory-page.module.css";
import { categoryWords, firstLine, ownerWords, trustWords } from "./memory-words.ts";

type Memory = Item<"memories.list">;

/** Entries that are listed at once. */
const pageSize = 100;
const content = (value: string): Field => ({ name: "content", label: "What is remembered", kind: "long", value });
const newFields: readonly Field[] = [
  content(""),
  { name: "key", label: "Key", optional: true, help: "A name by which it is replaced later; without one it gets its own" },
  {
    name: "category",
    label: "How long",
    kind: "choice",
    choices: ["core", "daily"],
    value: "core",
    help: "core stays, daily is gone after 30 days",
  },
];

interface MemoriesPartProps {
  /** The caller's own without it. */
  readonly owner: string | undefined;
}

/** The memories of one owner: read, corrected, forgotten. */
export function MemoriesPart({ owner }: MemoriesPartProps) {
  const [{ entry, category }, change] = useUrl();
  const [dialog, open] = useDialog();
  const of = owner === undefined ? {} : { owner };
  const add = (close: () => void) => (
    <FormDialog
      title="Save a memory"
      act="Save memory"
      fields={newFields}
      close={close}
      submit={(said) => {
        const key = textOr(said, "key");
        const chosen = textOf(said, "category") === "daily" ? "daily" : "core";
        return write("memories.save", { ...of, content: textOf(said, "content"), category: chosen, ...(key && { key }) });
      }}
    />
  );
  const correct = (memory: Memory) => (close: () => void) => (
    <FormDialog
      title={`Correct ${visibleText(memory.key)}`}
      act="Save correction"
      fields={[content(memory.content)]}
      close={close}
      submit={(said) => {
        const stays = memory.category === "daily" ? { category: "daily" as const, expiresAt: memory.expiresAt } : {};
        return write("memories.save", { ...of, key: memory.key, content: textOf(said, "content"), ...stays });
      }}
    >
      <p>Your words take the place of what is there. The last 20 versions stay readable.</p>
    </FormDialog>
  );
  const forget = (memory: Memory) => (close: () => void) => (
    <FormDialog
      title={`Forget ${visibleText(memory.key)}?`}
      act="Forget memory"
      fields={[]}
      close={close}
      submit={() => write("memories.remove", { ...of, key: memory.key })}
    >
      <p>It goes with all its versions, and cannot be brought back.</p>
    </FormDialog>
  );
  return (
    <>
      <div className={classes.bar}>
        <Owners owner={owner} />
        <NativeSelect
          aria-label="How long memories are kept"
          data={[
            { value: "", label: "Kept for any time" },
            ...Object.entries(categoryWords).map(([value, label]) => ({ value, label: `Kept ${label}` })),
          ]}
          value={category ?? ""}
          onChange={(event) => change({ category: event.currentTarget.value })}
        />
        <Button onClick={() => open(add)}>Save a memory</Button>
        <MemoryFiles {...of} />
      </div>
      <PartList
        of="memories.list"
        input={{ ...of, limit: pageSize, ...(isCategory(category) && { category }) }}
        label="Memories"
        empty="What agents save with memory_save appears here, and what you save yourself."
        keyOf={({ key }) => key}
        columns={[
          { name: "Key", show: ({ key }) => <code>{visibleText(key)}</code>, by: ({ key }) => key },
          { name: "Content", show: ({ content: text }) => <span className={classes.content}>{firstLine(text)}</span> },
          { name: "Kept", show: (row) => categoryWords[row.category], by: (row) => row.category },
          { name: "From", show: ({ trust, sources }) => trustWords({ trust, sources }), by: ({ trust }) => trust },
          { name: "Saved", show: ({ savedAt }) => <When at={savedAt} />, by: ({ savedAt }) => savedAt },
        ]}
        acts={(row) => (
          <>
            <Act name="Show" thing={row.key} onClick={() => change({ entry: row.key })} />
            {row.category !== "conversation" && <Act name="Correct" thing={row.key} onClick={() => open(correct(row))} />}
            <Act name="Forget" thing={row.key} onClick={() => open(forget(row))} />
          </>
        )}
      />
      {entry !== undefined && <MemoryDetail key={entry} {...of} entry={entry} close={() => change({ entry: undefined })} />}
      {dialog}
    </>
  );
}

const isCategory = (name: string | undefined): name is Memory["category"] => name !== undefined && Object.hasOwn(categoryWords, name);

/** Those whose memories the person may see, for one who may see more than their own. */
function Owners({ owner }: MemoriesPartProps) {
  const [, change] = useUrl();
  const { may } = useMe();
  const mayChoose = may("memory:manage");
  const { data } = useQuery({ ...reading("memories.owners", {}), enabled: mayChoose });
  if (!mayChoose) return null;
  const owners = data?.items ?? [];
  const known = owner === undefined || owners.some((each) => each.owner === owner) ? owners : [{ owner, count: 0 }, ...owners];
  return (
    <NativeSelect
      aria-label="Whose memories"
      data={[
        { value: "", label: "Your own" },
        ...known.map(({ owner: value, count }) => ({ value, label: `${ownerWords(value)} (${count})` })),
      ]}
      value={owner ?? ""}
      onChange={(event) => change({ owner: event.currentTarget.value, entry: undefined })}
    />
  );
}

import { Button, FileButton, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { visibleText } from "../../api/client.ts";
import { type Item, reading, write } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { useUrl } from "../../app/use-url.ts";
import { Failure } from "../../parts/failure.tsx";
import { FilterText } from "../../parts/filter-text.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { useDrop } from "../../parts/use-drop.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import { Text } from "../../result/value-view.tsx";
import classes from "./memory-page.module.css";
import { uploadDocument } from "./upload-document.ts";

type Document = Item<"documents.list">;

const usualCollection = "default";

/** Documents that agents look things up in: uploaded, tried and removed. */
export function DocumentsPart() {
  const [{ query = "" }, change] = useUrl();
  const [dialog, open] = useDialog();
  const remove = (document: Document) => (close: () => void) => (
    <FormDialog
      title={`Remove ${visibleText(document.title)}?`}
      act="Remove document"
      fields={[]}
      close={close}
      submit={() => write("documents.remove", { id: document.id })}
    >
      <p>The next search finds nothing of it. It cannot be brought back.</p>
    </FormDialog>
  );
  return (
    <>
      <Upload />
      <PartList
        of="documents.list"
        label="Documents"
        empty="Drop files here: PDF, Word, HTML, Markdown, notebooks, CSV or text. Agents find passages in them with knowledge_search."
        keyOf={({ id }) => id}
        columns={[
          { name: "Title", show: ({ title }) => <span className={classes.content}>{visibleText(title)}</span>, by: ({ title }) => title },
          { name: "Collection", show: ({ collection }) => visibleText(collection), by: ({ collection }) => collection },
          { name: "State", show: stateOf, by: ({ state }) => state },
          { name: "Pages", show: ({ pages }) => pages ?? "", by: ({ pages }) => pages },
          { name: "Passages", show: ({ chunks }) => chunks, by: ({ chunks }) => chunks },
          { name: "Changed", show: ({ updatedAt }) => <When at={updatedAt} />, by: ({ updatedAt }) => updatedAt },
        ]}
        acts={(row) => <Act name="Remove" thing={row.title} onClick={() => open(remove(row))} />}
      />
      <section className={classes.section}>
        <h2>Try a question</h2>
        <FilterText
          label="A question to the documents"
          placeholder="What is the notice period?"
          value={query}
          onChange={(value) => change({ query: value || undefined }, { replace: true })}
        />
        {query !== "" && <Found query={query} />}
      </section>
      {dialog}
    </>
  );
}

/** The version before answers while a new one is read. */
function stateOf({ state, error, nextVersion, version }: Document): string {
  if (state === "failed") return `failed: ${visibleText(error ?? "")}`;
  return nextVersion !== undefined && version > 0 ? `${state}; version ${version} answers` : state;
}

/** One file that goes up now, or why one did not. */
interface Rising {
  readonly name: string;
  readonly share: number;
  readonly problem?: string;
}

function Upload() {
  const [collection, setCollection] = useState(usualCollection);
  const [files, setFiles] = useState<readonly Rising[]>([]);
  const add = async (given: readonly File[]) => {
    setFiles(given.map(({ name }) => ({ name, share: 0 })));
    const put = (name: string, now: Partial<Rising>) =>
      setFiles((all) => all.map((each) => (each.name === name ? { ...each, ...now } : each)));
    for (const file of given) {
      try {
        await uploadDocument(file, {
          collection: collection.trim() || usualCollection,
          onProgress: (share) => put(file.name, { share }),
        });
        setFiles((all) => all.filter(({ name }) => name !== file.name));
      } catch (error) {
        put(file.name, { problem: wordsOf(error) });
      }
    }
  };
  const isOver = useDrop(add);
  return (
    <>
      <div className={classes.bar}>
        <TextInput
          aria-label="Collection of what is uploaded"
          value={collection}
          onChange={(event) => setCollection(event.currentTarget.value)}
        />
        <FileButton multiple onChange={(given) => void add(given)}>
          {(props) => <Button {...props}>Upload documents</Button>}
        </FileButton>
      </div>
      {isOver && <p className={classes.over}>Let go to upload.</p>}
      {files.map(({ name, share, problem }) =>
        problem === undefined ? (
          <p key={name}>
            {visibleText(name)} <progress aria-label={`Upload of ${name}`} value={share} />
          </p>
        ) : (
          <Failure key={name} error={`${visibleText(name)}: ${problem}`} />
        ),
      )}
    </>
  );
}

/** The passages that an agent would find, with where they stand. */
function Found({ query }: { readonly query: string }) {
  const { data, error, refetch } = useQuery(reading("documents.search", { query }));
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting rows={3} />;
  return (
    <>
      {data.items.length === 0 && <p>No passage says anything about it.</p>}
      <ol className={classes.versions} aria-label="Passages">
        {data.items.map(({ citation, text, weak }) => (
          <li key={`${citation} ${text}`}>
            <p className="dim small">
              {visibleText(citation)}
              {weak && ", may have nothing to do with it"}
            </p>
            <Text text={visibleText(text)} />
          </li>
        ))}
      </ol>
      {data.notSearched.length > 0 && (
        <p className="dim small">Not searched yet: {data.notSearched.map(({ title }) => visibleText(title)).join(", ")}</p>
      )}
    </>
  );
}

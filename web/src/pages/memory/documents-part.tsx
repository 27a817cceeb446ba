import { useQuery } from "@tanstack/react-query";
import { visibleText } from "../../api/client.ts";
import { type Item, reading, write } from "../../api/queries.ts";
import { useUrl } from "../../app/use-url.ts";
import { Failure } from "../../parts/failure.tsx";
import { FilterText } from "../../parts/filter-text.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import { Text } from "../../result/value-view.tsx";
import classes from "./memory-page.module.css";
import { Upload } from "./upload.tsx";

const lookMs = 1_000;

type Document = Item<"documents.list">;

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
        isGoing={isGoing}
        columns={[
          { name: "Title", show: ({ title }) => <span className={classes.content}>{visibleText(title)}</span>, by: ({ title }) => title },
          { name: "Collection", show: ({ collection }) => visibleText(collection), by: ({ collection }) => collection },
          { name: "State", show: (row) => <span className={classes.content}>{stateOf(row)}</span>, by: ({ state }) => state },
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

/** A server or worker has yet to read it. */
const isGoing = ({ state }: Pick<Document, "state">) => state === "queued" || state === "reading";

/** The version before answers while a new one is read. */
function stateOf({ state, error, nextVersion, version }: Document): string {
  const words = error === undefined ? state : `${state}: ${visibleText(error)}`;
  return nextVersion !== undefined && version > 0 ? `${words}; version ${version} answers` : words;
}

/** The passages that an agent would find, with where they stand. */
function Found({ query }: { readonly query: string }) {
  const { data, error, refetch } = useQuery({
    ...reading("documents.search", { query }),
    refetchInterval: ({ state }) => (state.data?.notSearched.some(isGoing) ? lookMs : false),
  });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting rows={3} />;
  return (
    <>
      {data.items.length === 0 && <p>No passage says anything about it.</p>}
      <ol className={classes.versions} aria-label="Passages">
        {data.items.map(({ document, offset, citation, text, weak }) => (
          <li key={`${document} ${offset}`}>
            <p className="dim small">
              {visibleText(citation)}
              {weak && " · may not answer the question"}
            </p>
            <Text text={visibleText(text)} />
          </li>
        ))}
      </ol>
      {data.without.map((why) => (
        <p key={why} className="dim small">
          {visibleText(why)}
        </p>
      ))}
      {data.notSearched.length > 0 && (
        <p className="dim small">
          Not searched: {data.notSearched.map(({ title, state }) => `${visibleText(title)} (${state})`).join(", ")}
        </p>
      )}
    </>
  );
}

import { useQueries, useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { visibleText } from "../api/client.ts";
import { type Item, reading } from "../api/queries.ts";
import { wordsOf } from "../api/words.ts";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { Waiting } from "../parts/waiting.tsx";
import classes from "./approval-card.module.css";
import { CommandView } from "./command-view.tsx";
import { exactParts } from "./exact-text.ts";
import { FileView } from "./file-view.tsx";
import { RequestView } from "./request-view.tsx";
import type { SeenToEnd } from "./seen-to-end.ts";
import type { Stored } from "./stored.ts";

type Shown = Item<"approvals.preview">;

const previewOf = (id: string) => ({ ...reading("approvals.preview", { id }), retry: false });

/** What the server tells of the call while it waits; a card that was answered meanwhile keeps what it showed. */
export function usePreview(id: string, isOpen: boolean) {
  const { data, error, isPending } = useQuery({ ...previewOf(id), enabled: isOpen });
  const last = useRef<readonly Shown[]>([]);
  if (data && data.items.length > 0) last.current = data.items;
  return { items: last.current, error, isLoading: isOpen && isPending };
}

/** Whether something of several calls is not there yet. */
export function useAreLoading(ids: readonly string[]): boolean {
  return useQueries({ queries: ids.map(previewOf), combine: (previews) => previews.some(({ isPending }) => isPending) });
}

interface ExactViewProps extends Pick<SeenToEnd, "watch"> {
  readonly stored: Stored;
  readonly preview: ReturnType<typeof usePreview>;
}

/** The exact thing, whole: commands, files and requests as such, and every other member of the input as it is. */
export function ExactView({ stored: { record }, preview: { items, error, isLoading }, watch }: ExactViewProps) {
  if (isLoading) return <Waiting rows={2} />;
  const isShown = new Set<string>(items.flatMap(({ shows }) => shows));
  const box = (label: string, key: string, children: ReactNode) => (
    <div key={key}>
      <h3 className={classes.name}>{label}</h3>
      <ScrollBox label={label} ref={watch} className={classes.exact}>
        {children}
      </ScrollBox>
    </div>
  );
  return (
    <div className={classes.parts}>
      {items.map((item) => box(titleOf(item), keyOf(item), <View item={item} decision={record.decision} />))}
      {exactParts(record.input)
        .filter(({ name }) => !isShown.has(name))
        .map(({ name, text }) => box(visibleText(name), `input ${name}`, <pre>{text}</pre>))}
      {error && <p className="dim small">This is the input as it was sent, because its comparison failed: {wordsOf(error)}</p>}
    </div>
  );
}

function View({ item, decision }: { readonly item: Shown; readonly decision: Stored["record"]["decision"] }) {
  switch (item.kind) {
    case "command":
      return <CommandView item={item} findings={decision.findings} />;
    case "file":
      return <FileView item={item} />;
    case "request":
      return <RequestView item={item} />;
  }
}

function titleOf(item: Shown): string {
  switch (item.kind) {
    case "command":
      return "Command";
    case "file":
      return visibleText(item.path);
    case "request":
      return "Request";
  }
}

const known = new WeakMap<Shown, string>();
let count = 0;

/** Another one for what says something else: what was read to its end was another text. */
function keyOf(item: Shown): string {
  const key = known.get(item) ?? `shown ${count++}`;
  known.set(item, key);
  return key;
}

import { lazy, Suspense } from "react";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { DataTable } from "./data-table.tsx";
import classes from "./result.module.css";
import { shapeOf } from "./shape-of.ts";

const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

/** What is read of an output schema. */
export interface ReadSchema {
  readonly properties?: Readonly<Record<string, ReadSchema>>;
  readonly contentMediaType?: string;
  readonly title?: string;
}

const mostDepth = 4;
const mostText = 200_000;
const mostItems = 500;

interface ValueProps {
  readonly value: unknown;
  readonly schema?: ReadSchema;
  readonly depth?: number;
}

/** A value in the shape that it has. */
export function Value({ value, schema = {}, depth = 0 }: ValueProps) {
  const shape = shapeOf(value, schema);
  if (depth > mostDepth) return <Text text={JSON.stringify(value)} />;
  switch (shape.kind) {
    case "nothing":
      return <span className="dim">nothing</span>;
    case "text":
      return <Text text={shape.text} />;
    case "markdown":
      return <MarkdownText text={shape.text} />;
    case "table":
      return <DataTable columns={shape.columns} rows={shape.rows} />;
    case "list":
      return <List items={shape.items} depth={depth} />;
    case "members":
      return <Members members={shape.members} schema={schema} depth={depth} />;
  }
}

/** Markdown, as it is written until what shows it is there. */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Text text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}

export function Text({ text }: { readonly text: string }) {
  if (text === "") return <span className="dim">empty</span>;
  const isLong = text.includes("\n") || text.length > 120;
  const shown = text.slice(0, mostText);
  return (
    <>
      {isLong ? (
        <ScrollBox className={classes.text} label="Text">
          <pre>{shown}</pre>
        </ScrollBox>
      ) : (
        <span className={classes.short}>{shown}</span>
      )}
      {shown.length < text.length && (
        <p className="dim small">{`The first ${mostText.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters.`}</p>
      )}
    </>
  );
}

function List({ items, depth }: { readonly items: readonly unknown[]; readonly depth: number }) {
  if (items.length === 0) return <span className="dim">none</span>;
  return (
    <>
      <ul className={classes.list}>
        {items.slice(0, mostItems).map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
          <li key={index}>
            <Value value={item} depth={depth + 1} />
          </li>
        ))}
      </ul>
      {items.length > mostItems && <p className="dim small">{`The first ${mostItems} of ${items.length}.`}</p>}
    </>
  );
}

interface MembersProps {
  readonly members: readonly (readonly [name: string, value: unknown])[];
  readonly schema: ReadSchema;
  readonly depth: number;
}

function Members({ members, schema, depth }: MembersProps) {
  if (members.length === 0) return <span className="dim">nothing</span>;
  return (
    <dl className={classes.members}>
      {members.map(([name, value]) => (
        <div key={name}>
          <dt>{schema.properties?.[name]?.title ?? name}</dt>
          <dd>
            <Value value={value} schema={schema.properties?.[name] ?? {}} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

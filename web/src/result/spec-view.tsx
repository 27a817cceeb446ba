import { FileBlock, ImageBlock } from "./artifact-blocks.tsx";
import { ChartBlock } from "./chart-block.tsx";
import { DataTable } from "./data-table.tsx";
import classes from "./result.module.css";
import { MarkdownText, Text, Value } from "./value-view.tsx";
import {
  type Artifact,
  type BlockOf,
  columnsOfTable,
  figureText,
  headingOf,
  mostRanks,
  planSeries,
  rankRows,
  rowsOf,
  summaryOf,
  type ViewBlock,
  type ViewSpec,
  valueAt,
} from "./view-spec.ts";

interface SpecViewProps {
  readonly view: ViewSpec;
  readonly output: unknown;
  readonly artifacts: readonly Artifact[];
}

/** An output as its tool wants it read. */
export function SpecView({ view, output, artifacts }: SpecViewProps) {
  return (
    <div className={classes.blocks}>
      {view.blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a tool stand in one order
        <section key={index} className={classes.block} aria-label={block.title}>
          {block.title !== undefined && <h3>{block.title}</h3>}
          <Block block={block} value={valueAt(output, block.data)} artifacts={artifacts} />
        </section>
      ))}
    </div>
  );
}

interface BlockProps<Shown extends ViewBlock = ViewBlock> {
  readonly block: Shown;
  readonly value: unknown;
  readonly artifacts: readonly Artifact[];
}

function Block({ block, value, artifacts }: BlockProps) {
  if (value === undefined || value === null) return <p className="dim">Nothing.</p>;
  switch (block.block) {
    case "summary":
      return <Summary block={block} value={value} />;
    case "markdown":
      return typeof value === "string" ? <MarkdownText text={value} /> : <Value value={value} />;
    case "image":
      return <ImageBlock value={value} alt={block.alt} artifacts={artifacts} />;
    case "file":
      return <FileBlock value={value} artifacts={artifacts} />;
    case "custom":
      return <Custom block={block} value={value} />;
    default:
      return <RowsBlock block={block} value={value} />;
  }
}

function RowsBlock({ block, value }: Omit<BlockProps<BlockOf<"table" | "chart" | "radar" | "ranking">>, "artifacts">) {
  const rows = rowsOf(value);
  // A cut output may hold something else than its schema says.
  if (!rows) return <Value value={value} />;
  if (rows.length === 0) return <p className="dim">No rows.</p>;
  const { title } = block;
  switch (block.block) {
    case "table":
      return <Table block={block} rows={rows} />;
    case "chart":
      return <ChartBlock rows={rows} shape={block.shape ?? "bar"} title={title} asked={{ by: block.x, series: block.series }} />;
    case "radar":
      return <ChartBlock rows={rows} shape="radar" title={title} asked={{ by: block.axis, series: block.series }} />;
    case "ranking":
      return <Ranking block={block} rows={rows} />;
  }
}

type Rows = NonNullable<ReturnType<typeof rowsOf>>;

function Table({ block, rows }: { readonly block: BlockOf<"table">; readonly rows: Rows }) {
  const shown = columnsOfTable(rows, block);
  const labels = new Map(shown.map((column) => [column.name, headingOf(column)]));
  return <DataTable rows={rows} columns={shown.map(({ name }) => name)} labels={labels} />;
}

function Summary({ block, value }: { readonly block: BlockOf<"summary">; readonly value: unknown }) {
  const items = summaryOf(value, block);
  if (items.length === 1 && items[0]?.label === (block.title ?? "")) return <p className={classes.figure}>{figureText(items[0].value)}</p>;
  return (
    <dl className={classes.figures}>
      {items.map(({ name, label, unit, value: figure }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd className={classes.figure}>{figureText(figure, unit)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Ranking({ block, rows }: { readonly block: BlockOf<"ranking">; readonly rows: Rows }) {
  const plan = planSeries(rows, { by: block.label, series: block.score && [block.score] });
  const [score] = plan?.series ?? [];
  if (!plan || !score) return <Value value={rows} />;
  const ranks = rankRows(rows, { label: plan.by, score: score.name });
  return (
    <>
      <ol className={classes.ranks}>
        {ranks.slice(0, mostRanks).map(({ label, score: points, share }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two entries may have one name
          <li key={index}>
            <span className={classes.rank}>
              <span>{label}</span> <span>{figureText(points, score.unit)}</span>
            </span>
            <span className={classes.track} aria-hidden>
              <span className={classes.bar} style={{ width: `${share * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
      {ranks.length < rows.length && <p className="dim small">{`${rows.length - ranks.length} without a number are left out.`}</p>}
      {ranks.length > mostRanks && <p className="dim small">{`The first ${mostRanks} of ${ranks.length}.`}</p>}
      <details>
        <summary>Numbers as a table</summary>
        <Table block={{ block: "table", data: block.data }} rows={rows} />
      </details>
    </>
  );
}

/** For pages that embed the server: no code but the console's own runs here. */
function Custom({ block: { renderer }, value }: { readonly block: BlockOf<"custom">; readonly value: unknown }) {
  return (
    <>
      <p className="dim small">{`This page has no renderer named ${renderer}, so the value is JSON.`}</p>
      <Text text={JSON.stringify(value, null, 2)} />
    </>
  );
}

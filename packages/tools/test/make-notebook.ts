interface NotebookCell {
  readonly type: "markdown" | "code";
  readonly source: string;
  readonly outputs?: readonly unknown[];
}

/** A Jupyter notebook of format 4. */
export function makeNotebook(cells: readonly NotebookCell[]): Uint8Array<ArrayBuffer> {
  const written = cells.map(({ type, source, outputs }) => ({
    ...{ cell_type: type, metadata: {}, source: source.split(/(?<=\n)/) },
    ...(type === "code" && { outputs: outputs ?? [], execution_count: null }),
  }));
  const metadata = { language_info: { name: "python" } };
  return new TextEncoder().encode(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells: written }));
}

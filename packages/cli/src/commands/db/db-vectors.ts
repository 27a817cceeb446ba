import { visibleText } from "@toolwright/engine/ports";
import type { KeptVectors, NearIndex, VectorsReport } from "@toolwright/postgres";
import { count } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { refuseOutdated, withMaintenance } from "../context/with-maintenance.ts";

/** Makes what a server lacks to find by vectors quickly. An embedded store needs nothing. Exit code 69 without pgvector. */
export function vectors(io: Io, options: CommonOptions): Promise<number> {
  return withMaintenance(io, options, async (store, { place }) => {
    if (store.kind === "embedded") {
      if (options.json) io.out(`${JSON.stringify({ kind: store.kind, place, indexes: [] })}\n`);
      else io.out("The embedded store compares vectors without an index. There was nothing to do.\n");
      return exitCodes.done;
    }
    const onMake = (group: KeptVectors) => io.err(`Indexing ${describe(group)} …\n`);
    const report = await store.makeVectorIndexes({ onMake, signal: io.signal }).catch(refuseOutdated);
    if (options.json) io.out(`${JSON.stringify({ kind: store.kind, place, ...report }, null, 2)}\n`);
    else io.out(tell(report));
    return io.signal.aborted ? exitCodes.cancelled : exitCodes.done;
  });
}

const states: Readonly<Record<NearIndex["state"], string>> = {
  made: "made",
  kept: "there",
  impossible: "not to be had: an index takes vectors of at most 4,000 numbers",
};

function tell({ schema, version, vectors: kept, indexes, removed }: VectorsReport): string {
  const kinds = Object.entries(kept).map(([name, vectors]) => `${vectors} of ${name}`);
  return [
    `pgvector ${version} in the schema ${visibleText(schema)}, vectors: ${kinds.join(", ")}`,
    ...indexes.map((index) => `  ${describe(index)}: ${states[index.state]}`),
    ...(removed > 0 ? [`  removed ${count(removed, "index", "indexes")} that no search asks for`] : []),
    ...(indexes.length === 0 ? ["No tenant has 20,000 vectors of a kind. So many are compared without an index."] : []),
    "",
  ].join("\n");
}

const describe = ({ of, tenant, owner, model, vectors: many }: KeptVectors) =>
  visibleText(`${many} ${of} of ${tenant}${owner === null ? "" : `, ${owner}`} by ${model}`);

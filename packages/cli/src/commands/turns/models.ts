import type { OperationTypes } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { jsonLine } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { asPerson } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type ModelOptions = TenantOptions & RemoteOptions & { readonly agent?: string };
type Provider = OperationTypes["models.list"]["output"]["items"][number];

export function list(io: Io, { agent, ...options }: ModelOptions): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const models = await operate("models.list", { agent });
    if (options.json) io.out(`${jsonLine(models)}\n`);
    else io.out(`${renderTable(["provider", "needs"], models.items.map(toRow), io.columns)}\n\nThe usual model is ${models.usual}.\n`);
    return exitCodes.done;
  });
}

/** Exit code 0 when agents can work with it, 69 when it does not answer, 1 when it calls no tools. */
export function test(io: Io, { agent, ...options }: ModelOptions, [model = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const { items } = await operate("models.test", { model, agent });
    if (options.json) io.out(`${jsonLine(items)}\n`);
    else for (const { name, ok, message } of items) io.out(`${ok ? "ok     " : "missing"} ${name}: ${visibleText(message)}\n`);
    const isOk = (wanted: (typeof items)[number]["name"]) => items.some(({ name, ok }) => name === wanted && ok);
    if (!isOk("reach")) return exitCodes.unavailable;
    return isOk("tools") ? exitCodes.done : exitCodes.failed;
  });
}

function toRow({ provider, needs }: Provider): readonly string[] {
  const words = needs.map(({ kind, name, isThere }) => `${kind} ${name}${isThere ? "" : " (missing)"}`);
  return [provider, words.join(", ") || "nothing"];
}

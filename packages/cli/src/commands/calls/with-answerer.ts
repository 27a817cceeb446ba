import type { Scope } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import { lookForTool } from "../context/find-tool.ts";
import type { Operate } from "../context/operate.ts";
import { findLocalServer, openServer, type RemoteServer } from "../context/operate-remotely.ts";
import type { CallOptions } from "./define-call-options.ts";

/** Where a call is made: here, on the server that it names, or on the one that runs on this state folder. */
export type Place = { readonly operate: Operate } & (
  | { readonly here: { readonly toolwright: Toolwright; readonly scope: Scope }; readonly server?: undefined }
  | { readonly here?: undefined; readonly server: RemoteServer }
);

/** Finds a tool by name; where the engine runs in this process, also a hidden one. */
export const findAny = ({ operate, here }: Place, name: string): Promise<ToolSummary | undefined> =>
  here ? Promise.resolve(here.scope.survey().find(({ tool }) => tool.name === name)?.tool) : lookForTool(operate, name);

export async function withAnswerer<Result>(
  io: Io,
  options: CallOptions & ComposeOptions,
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { tenant, agent, server } = options;
  const on = (remote: RemoteServer) => use({ operate: remote.operate, server: remote });
  if (server !== undefined) {
    if (agent !== undefined) throw new CliError("With --server, the key says which agent it is. Leave --agent out.");
    return on(openServer(io, options));
  }
  const { isInteractive: interactive } = io;
  // Which agents there are is known to the policy of the composition.
  const local =
    agent === undefined &&
    (await findLocalServer(io, { settings: readSettings(options, io), tenant, interactive, session: cliSessionName() }));
  if (local) return on(local);
  const [{ requireKnownAgent }, { withToolwright }, { cliScope }, { operateAs }] = await Promise.all([
    import("../context/require-agent.ts"),
    import("../context/with-toolwright.ts"),
    import("../../caller.ts"),
    import("../context/operate.ts"),
  ]);
  return withToolwright(io, options, async (toolwright) => {
    await requireKnownAgent(toolwright, tenant, agent);
    const scope = await cliScope(toolwright, io, { tenant, agent });
    return use({ operate: operateAs(scope, toolwright), here: { toolwright, scope } });
  });
}

import { serveMcpStdio } from "@toolwright/doors/mcp";
import { composeToolwright } from "@toolwright/server/compose";
import { serverFacts } from "@toolwright/server/facts";
import { withAskedPermissions } from "@toolwright/server/local";
import { skillPrompts } from "@toolwright/server/skill-prompts";
import { openViewApp } from "@toolwright/server/view-app";
import { cliPrincipal } from "../../caller.ts";
import { exitCodes } from "../../exit-code.ts";
import { type AskOptions, readAsk } from "../../input/read-ask.ts";
import type { Io } from "../../io.ts";
import { commandLineOf } from "../../output/command-line.ts";
import { tellPolicy } from "../../output/tell-policy.ts";
import { tellReload } from "../../output/tell-reload.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../../settings.ts";
import { aborted } from "../context/aborted.ts";
import { wantsConsole } from "./wants-console.ts";

/** Milliseconds from the end of stdin to that of the process, where something does not end by itself. */
const endMs = 2_500;

/** Serves one client until it closes stdin or the process is told to stop. Stdout belongs to the protocol. */
export async function mcp(io: Io, options: CommonOptions & AskOptions): Promise<number> {
  const ask = readAsk(options, io);
  const ended = io.opened?.transport.ended ?? io.inputEnded();
  // Whatever loads, runs or waits to be read then.
  void ended.then(() => io.endWithin?.(endMs));
  const settings = readSettings(options, io);
  await ensureWorkspace(settings, io);
  const toolwright = await composeToolwright(settings, io, {
    onReload: (report) => tellReload(io, report),
    onPolicy: tellPolicy(io),
    holder: { command: "mcp", stays: true },
  });
  if (toolwright.loaded) tellReload(io, toolwright.loaded);
  const { engine, logger, store } = toolwright;
  if (ask === "never") io.err("The client is asked nothing (--ask never): calls that need a person wait for toolwright approvals.\n");
  // Whether a person is there depends on the client, which says so.
  const { interactive: _, ...owner } = cliPrincipal(io);
  const principal = withAskedPermissions(engine, { ...owner, permissions: [], door: "mcp", source: "mcp" });
  const server = serveMcpStdio({
    engine,
    logger,
    ...serverFacts,
    ...(io.opened && { transport: io.opened.transport, answered: io.opened.takeOver() }),
    principal,
    session: await engine.openSession(principal, "mcp-stdio"),
    prompts: skillPrompts(store.catalogue),
    sealKeys: store.sealKeys,
    commandLine: commandLineOf(settings, io),
    elicit: ask !== "never",
    ...(wantsConsole(io) && { viewApp: openViewApp() }),
  });
  await Promise.race([ended, aborted(io.signal)]);
  await server.close();
  await toolwright.close();
  return exitCodes.done;
}

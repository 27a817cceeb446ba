import { serveMcpStdio } from "@toolwright/doors/mcp";
import { cliPrincipal, withAskedPermissions } from "../../caller.ts";
import { composeToolwright } from "../../compose.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { tellPolicy } from "../../output/tell-policy.ts";
import { tellReload } from "../../output/tell-reload.ts";
import { commandLineOf } from "../../serve/command-line.ts";
import { type AskOptions, readAsk } from "../../serve/read-ask.ts";
import { serverFacts } from "../../serve/server-facts.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../../settings.ts";
import { aborted } from "../context/aborted.ts";

/** Serves one client until it closes stdin or the process is told to stop. Stdout belongs to the protocol. */
export async function mcp(io: Io, options: CommonOptions & AskOptions): Promise<number> {
  const ask = readAsk(options, io);
  const settings = readSettings(options, io);
  await ensureWorkspace(settings, io);
  const toolwright = await composeToolwright(settings, io, {
    onReload: (report) => tellReload(io, report),
    onPolicy: tellPolicy(io),
    holder: { command: "mcp" },
  });
  if (toolwright.loaded) tellReload(io, toolwright.loaded);
  const { engine, logger, store } = toolwright;
  if (ask === "never") io.err("The client is asked nothing (--ask never): calls that need a person wait for toolwright approvals.\n");
  const ended = io.inputEnded();
  const { answered, hasEnded = false } = io.opened?.takeOver() ?? {};
  const server = serveMcpStdio({
    engine,
    logger,
    ...serverFacts,
    answered,
    principal: withAskedPermissions(engine, { ...cliPrincipal(io, false), permissions: [], door: "mcp", source: "mcp" }),
    session: "mcp-stdio",
    sealKeys: store.sealKeys,
    commandLine: commandLineOf(settings, io),
    elicit: ask !== "never",
  });
  io.opened?.resume();
  if (!hasEnded) await Promise.race([ended, aborted(io.signal)]);
  await server.close();
  await toolwright.close();
  return exitCodes.done;
}

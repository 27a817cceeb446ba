import type { InvokeOptions } from "@toolwright/engine";
import type { Option } from "commander";
import type { Io } from "../../io.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import { refuseSuspendedThere } from "../approvals/refuse-suspended.ts";
import type { Resumed } from "../approvals/resume-here.ts";
import type { Person } from "../context/as-person.ts";
import type { Follow, Operate } from "../context/operate.ts";
import { findLocalServer, openServer, type RemoteOptions, type RemoteServer } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import type { GeneratedCommand } from "./generated-command.ts";

/** Options that every command has. */
export type Options = TenantOptions & RemoteOptions;

/** A command line as commander read it. */
export interface CommandLine {
  readonly options: Options;
  /** That are no options. */
  readonly words: readonly string[];
  /** The options that the command has. */
  readonly known: readonly Option[];
}

/** Where operations are done. */
export interface Answerer {
  readonly operate: Operate;
  /** The policy that decides, in a sentence; undefined where it is a server's. */
  readonly inForce?: string;
  /** Undefined where nothing is followed. */
  readonly follow?: Follow;
  /** Goes on with the call of an approval, once. Undefined where no calls are made. */
  resume?(approvalId: string, follow: InvokeOptions): Promise<Resumed>;
}

interface Opening {
  readonly command: GeneratedCommand;
  readonly options: Options;
  /** Throws for what cannot be done, before anything is opened in this process. */
  readonly check?: () => Promise<void>;
}

/** On the server that is named, on the one that runs on this state folder, or in this process. */
export async function withOperate<Result>(
  io: Io,
  { command, options, check }: Opening,
  use: (place: Answerer) => Promise<Result>,
): Promise<Result> {
  if (options.server !== undefined) return use(answererAt(openServer(io, options)));
  if (command.machine) {
    const { withMachine } = await import("../context/with-machine.ts");
    return withMachine(io, { ...options, loadsTools: command.machine === "with tools" }, (operate) => use({ operate }));
  }
  const session = command.effect === "read" ? undefined : cliSessionName();
  const { tenant } = options;
  const local = command.here
    ? undefined
    : await findLocalServer(io, { settings: readSettings(options, io), tenant, session, store: command.store !== undefined });
  if (local) return use(answererAt(local, () => refuseSuspendedThere(io, options)));
  await check?.();
  if (command.store === "as it is")
    return (await import("../context/with-maintenance.ts")).withInspector(io, options, (operate) => use({ operate }));
  if (command.store) {
    const { withOperations } = await import("../context/with-operations.ts");
    return withOperations(io, { ...options, secrets: command.secrets === true }, (operate, follow) => use({ operate, follow }));
  }
  const { asPerson } = await import("../context/as-person.ts");
  // What a call would come to now depends on what this machine can give.
  const callsNothing = command.call?.fields !== true && !command.decides && command.resumes === undefined;
  return asPerson(io, { ...options, callsNothing }, ({ operate, here }) =>
    use({
      operate,
      ...(here?.toolwright.policy && { inForce: describePolicyInForce(here.toolwright.policy) }),
      ...(here && { resume: resumeIn(here) }),
    }),
  );
}

/** `check`: rejects where nothing runs for the tenant. The server of this machine takes every caller for the operator, whom nothing stops. */
function answererAt({ operate, follow, resume }: RemoteServer, check?: () => Promise<void>): Answerer {
  return {
    ...{ operate, follow },
    async resume(id, follow) {
      await check?.();
      return { result: await resume(id, follow) };
    },
  };
}

const resumeIn =
  (here: NonNullable<Person["here"]>): NonNullable<Answerer["resume"]> =>
  async (id, follow) =>
    (await import("../approvals/resume-here.ts")).resumeHere(here, id, follow);

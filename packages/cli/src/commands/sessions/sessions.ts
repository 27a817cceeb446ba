import type { OperationTypes } from "@toolwright/engine/operations";
import { oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { tellResult } from "../context/tell-result.ts";
import type { TenantOptions } from "../context/with-store.ts";

type SessionOptions = TenantOptions & RemoteOptions;
type Session = OperationTypes["sessions.get"]["output"];

interface ListOptions extends TenantOptions, RemoteOptions {
  readonly kind?: string;
  readonly owner?: string;
  readonly ownerless?: boolean;
  readonly after?: string;
}

export function list(io: Io, options: ListOptions): Promise<number> {
  const { kind, owner, ownerless, after } = options;
  return tellResult(
    io,
    options,
    async (operate) => {
      const { items, next } = await operate("sessions.list", { kind, owner, ownerless, after });
      if (next !== undefined) io.err(`There are more: --after ${next}\n`);
      return items;
    },
    (items) => {
      if (items.length === 0 && (kind ?? owner ?? ownerless ?? after) !== undefined) io.out("There is no such session.\n");
      else if (items.length === 0) io.out("There are no sessions. A call makes one: toolwright call TOOL\n");
      else io.out(`${renderTable(["id", "kind", "name", "owner", "shared with", "last used"], items.map(toRow), io.columns)}\n`);
    },
  );
}

const toRow = ({ id, kind, name = "", owner = "", sharedWith = [], usedAt }: Session) => [
  oneLine(id),
  kind,
  oneLine(name),
  oneLine(owner),
  oneLine(describe(sharedWith)),
  `${new Date(usedAt).toISOString().slice(0, 16)}Z`,
];

const describe = (sharedWith: readonly string[]) => sharedWith.map((each) => (each === "*" ? "everybody" : each)).join(", ");

interface AudienceOptions extends TenantOptions, RemoteOptions {
  readonly with?: string;
  readonly tenantWide?: boolean;
}

export function share(io: Io, options: AudienceOptions, [id = ""]: readonly string[]): Promise<number> {
  return change(io, options, { id, operation: "sessions.share" });
}

export function unshare(io: Io, options: AudienceOptions, [id = ""]: readonly string[]): Promise<number> {
  return change(io, options, { id, operation: "sessions.unshare" });
}

interface Change {
  readonly id: string;
  readonly operation: "sessions.share" | "sessions.unshare";
}

function change(io: Io, options: AudienceOptions, { id, operation }: Change): Promise<number> {
  const { with: person, tenantWide = false } = options;
  if ((person === undefined) !== tenantWide) throw new CliError("Name either --with <user> or --tenant-wide.");
  return tellResult(
    io,
    options as SessionOptions,
    (operate) => operate(operation, { id, with: person, tenant: tenantWide ? true : undefined }),
    (session) => {
      const { sharedWith = [] } = session;
      io.out(
        sharedWith.length === 0
          ? `${session.id} is shared with nobody.\n`
          : `${session.id} is shared with ${oneLine(describe(sharedWith))}.\n`,
      );
    },
  );
}

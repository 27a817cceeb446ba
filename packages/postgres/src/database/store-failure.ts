import { ToolwrightError } from "@toolwright/engine/errors";

/** What the classes of SQLSTATE and of socket errors mean for the person who runs this, first match first. */
const meanings: readonly { readonly codes: RegExp; readonly words: string }[] = [
  {
    codes: /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|ETIMEDOUT|ECONNRESET|EPIPE|EHOSTUNREACH|ENETUNREACH)$/,
    words: "The PostgreSQL server cannot be reached. Check that it runs and that DATABASE_URL names it.",
  },
  {
    codes: /^TOOLWRIGHT_HOLDER_LOST$/,
    words: "The process that held the store ended in the middle; nothing of this was written. It can be tried again.",
  },
  { codes: /^28/, words: "The PostgreSQL server refused the login. Check user and password of DATABASE_URL." },
  { codes: /^3D000$/, words: "The database that DATABASE_URL names does not exist. Create it with createdb." },
  {
    codes: /^53300$/,
    words: "The PostgreSQL server has no connection left. Raise max_connections, or lower TOOLWRIGHT_CONNECTIONS of each process.",
  },
  {
    codes: /^53100$/,
    words:
      "The disk of the database is full; the embedded one stops writing at 64 MB left. Free some space: nothing needs a restart, and what was not confirmed was not written.",
  },
  { codes: /^53/, words: "The database ran out of memory or of another resource. Give it more, or run less at once." },
  { codes: /^58/, words: "The database could not read or write its files. Look at its disk and at the log of the PostgreSQL server." },
  { codes: /^XX00[12]$/, words: "A page of the database is damaged. Look at its disk, and restore a backup with toolwright db restore." },
  { codes: /^08/, words: "The connection to the PostgreSQL server was lost. The call can be tried again." },
  {
    codes: /^(40001|40P01)$/,
    words:
      "Something else was changing the same at this moment, so the database took this back: nothing of it was written. It can be tried again.",
  },
  { codes: /^57P0[123]$/, words: "The PostgreSQL server is shutting down or starting. The call can be tried again." },
  { codes: /^57014$/, words: "The database took longer than the statement timeout. What it did was taken back." },
  { codes: /^25006$/, words: "The PostgreSQL server is read-only. Name the primary server in DATABASE_URL." },
  { codes: /^42501$/, words: "The database user lacks a right. Let the owner of the database run toolwright db migrate." },
  { codes: /^(42P01|3F000|42883|42703)$/, words: "The database does not have the tables of this version. Run toolwright db migrate." },
];

/** Failures that pass by themselves: the same work can be tried again. */
const passing =
  /^(TOOLWRIGHT_HOLDER_LOST|40001|40P01|53300|57P0[123]|08|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ENOENT|EHOSTUNREACH|ENETUNREACH)/;

/** Failures that have to do with the state of the database and not with what it was asked: it will take the same when it is well again. */
const outage = /^(53|58|25006|57014)/;

/** The error of a database as one of ours; errors of ours and defects in code stay as they are. */
export function toStoreError(error: unknown): unknown {
  if (ToolwrightError.is(error)) return error;
  const code = codeOf(error);
  // A row that another tenant's would be: a defect of ours, which must show as one.
  if (code === "42501" && /row-level security/.test((error as Error).message)) return error;
  if (code === undefined) return isConnectionText(error) ? unreachable(error) : error;
  if (code === "23503" && /_tenant_fkey$/.test(constraintOf(error)))
    return new ToolwrightError(
      "tenant_not_found",
      "There is no such tenant in the store, so nothing was written. Make it with store.tenants.ensure, or with: toolwright tenants create TENANT",
      {
        cause: error,
      },
    );
  const meaning = meanings.find(({ codes }) => codes.test(code));
  if (!meaning) return error;
  return new ToolwrightError(passing.test(code) ? "store_unreachable" : "store_failed", meaning.words, {
    cause: error,
    details: { sqlState: code },
  });
}

/** True when trying the same transaction again can succeed. */
export function isPassing(error: unknown): boolean {
  return passing.test(codeOf(error) ?? "") || isConnectionText(error);
}

/** True when the database is away, full or otherwise unwell: what it could not be told is told again when it is well. */
export function isOutage(error: unknown): boolean {
  if (!ToolwrightError.is(error)) return isPassing(error) || outage.test(codeOf(error) ?? "");
  const { sqlState } = (error.details ?? {}) as { readonly sqlState?: string };
  return error.code === "store_unreachable" || outage.test(sqlState ?? "");
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

function constraintOf(error: unknown): string {
  return String((error as { constraint?: unknown } | undefined)?.constraint ?? "");
}

/** The driver says these without a code. */
function isConnectionText(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed/.test(
      error.message,
    )
  );
}

function unreachable(error: unknown): ToolwrightError {
  return new ToolwrightError("store_unreachable", "The connection to the PostgreSQL server was lost. The call can be tried again.", {
    cause: error,
  });
}

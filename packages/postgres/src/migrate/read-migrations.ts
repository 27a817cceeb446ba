import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One numbered file of SQL. */
export interface MigrationFile {
  /** The file's name without `.sql`. */
  readonly name: string;
  /** True when a process of the version before cannot work on a database that has it. */
  readonly breaking: boolean;
  readonly statements: readonly string[];
  /** SHA-256 of the text: a file that was applied never changes. */
  readonly checksum: string;
}

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));
const header = /^-- breaking: (yes|no)\n/;

let brought: readonly MigrationFile[] | undefined;

/** The migrations that this version brings, oldest first. A process reads them once. */
export function readMigrations(): readonly MigrationFile[] {
  brought ??= readFolder();
  return brought;
}

function readFolder(): readonly MigrationFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => parseMigration(name.slice(0, -".sql".length), readFileSync(join(folder, name), "utf8")));
}

/** Each statement goes to the database alone: the embedded one takes no more. They are read when the migration is applied, which is seldom. */
export function parseMigration(name: string, text: string): MigrationFile {
  const said = header.exec(text);
  if (!/^\d{4}_[a-z0-9_]+$/.test(name))
    throw new Error(`${name}.sql: a migration is named by four digits, an underscore and lower-case words.`);
  if (!said)
    throw new Error(`${name}.sql: the first line says whether older processes can work on: "-- breaking: no" or "-- breaking: yes".`);
  const checksum = hash("sha256", text);
  let statements: readonly string[] | undefined;
  return {
    ...{ name, breaking: said[1] === "yes", checksum },
    get statements() {
      statements ??= readStatements(name, text);
      return statements;
    },
  };
}

function readStatements(name: string, text: string): readonly string[] {
  const statements = text.split(/^--> statement-breakpoint$/m).map((statement) => statement.trim());
  const empty = statements.findIndex((statement) => /^(\s*--[^\n]*\n?)*\s*$/.test(statement));
  if (empty >= 0) throw new Error(`${name}.sql: statement ${empty + 1} is empty.`);
  return statements;
}

import { isDeepStrictEqual } from "node:util";
import { CliError } from "../cli-error.ts";
import { type ConfigEdit, type ConfigFormat, ConfigSyntaxError, isMembers, type Members } from "./config-format.ts";

const byteOrderMark = "\uFEFF";

/** A configuration as it was found; `text` is empty for a file that is not there. */
interface FoundConfig {
  readonly file: string;
  readonly text: string;
}

/** Throws for a file that cannot hold servers, and so must not be written. */
export function readEntry(format: ConfigFormat, { file, text }: FoundConfig, { section, name }: Pick<ConfigEdit, "section" | "name">) {
  const members = parseConfig(format, { file, text });
  const servers = Object.hasOwn(members, section) ? members[section] : undefined;
  if (servers !== undefined && !isMembers(servers))
    throw new CliError(`"${section}" in ${file} is not a list of servers by name. Nothing was written; correct the file, then try again.`);
  const hasEntry = servers !== undefined && Object.hasOwn(servers, name);
  return { hasSection: servers !== undefined, entry: hasEntry ? servers[name] : undefined };
}

/**
 * The new text. It is read again before anybody sees it: an edit that would change more than its own entry, as one of a file that writes its
 * servers in an unusual way might, is refused.
 */
export function editConfig(format: ConfigFormat, { file, text }: FoundConfig, change: ConfigEdit): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const before = text.slice(mark.length);
  const after = format.edit(before, change);
  if (!isDeepStrictEqual(expected(parseConfig(format, { file, text: before }), change), tidy(parseOrNothing(format, after), change))) {
    const { section, name } = change;
    throw new CliError(
      `${file} holds ${section}.${name} in a form that toolwright cannot edit without touching more than that. Nothing was written; edit the file by hand: --print shows the entry.`,
    );
  }
  return mark + after;
}

function parseConfig(format: ConfigFormat, { file, text }: FoundConfig): Members {
  const value = parseText(format, { file, text: text.startsWith(byteOrderMark) ? text.slice(1) : text });
  if (!isMembers(value)) throw new CliError(`${file} does not hold an object. Nothing was written; correct the file, then try again.`);
  return value;
}

function parseText(format: ConfigFormat, { file, text }: FoundConfig): unknown {
  try {
    return format.parse(text);
  } catch (cause) {
    if (!(cause instanceof ConfigSyntaxError)) throw cause;
    throw new CliError(`${file} cannot be read: ${cause.message}. Nothing was written; correct the file, then try again.`, { cause });
  }
}

function parseOrNothing(format: ConfigFormat, text: string): Members {
  try {
    const value = format.parse(text);
    return isMembers(value) ? value : {};
  } catch {
    return {};
  }
}

function expected(members: Members, { section, name, entry }: ConfigEdit): Members {
  const servers = new Map(Object.entries(isMembers(members[section]) ? members[section] : {}));
  if (entry === undefined) servers.delete(name);
  else servers.set(name, entry);
  return tidy({ ...members, [section]: plain(Object.fromEntries(servers)) }, { section });
}

/** A section without members says the same as none. */
function tidy(members: Members, { section }: Pick<ConfigEdit, "section">): Members {
  const { [section]: servers, ...others } = members;
  const isEmpty = servers === undefined || (isMembers(servers) && Object.keys(servers).length === 0);
  return isEmpty ? plain(others) : plain({ ...others, [section]: servers });
}

/** Parsers make objects of different kinds, which would not be equal; dates and large numbers keep their own. */
function plain<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(plain) as Value;
  const isPlain = isMembers(value) && !(value instanceof Date);
  return isPlain ? (Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)])) as Value) : value;
}

// Makes the command line of the operations: all that help, completion and a call need, as data that loads no schema.
import { globSync } from "node:fs";
import { basename } from "node:path";
import type { Operation } from "@toolwright/engine/operations";
import type {
  Columns,
  ShellArgument,
  ShellCall,
  ShellCommand,
  ShellFlag,
  ShellGroup,
  ShellReading,
  ShellWord,
} from "@toolwright/engine/shell";
import { argumentsOf, commandWords } from "@toolwright/engine/subjects";
import { operations, subjects } from "./product-subjects.ts";

/** A file with what commands show and read with, by the package and the name that loads it. */
interface ViewFile {
  readonly package: string;
  readonly name: string;
  /** Without its ending. */
  readonly file: string;
  readonly exported: Readonly<Record<string, unknown>>;
}

const viewFiles: readonly ViewFile[] = await Promise.all(
  globSync("../packages/*/src/operations/views/*.ts", { cwd: import.meta.dirname })
    .filter((path) => !path.endsWith(".test.ts"))
    .sort()
    .map(async (path) => {
      const [, folder = ""] = /packages\/([^/]+)\//.exec(path) ?? [];
      const file = basename(path, ".ts");
      const name = file.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return { package: folder, name, file, exported: (await import(path)) as Readonly<Record<string, unknown>> };
    }),
);

const viewPackages: readonly string[] = [...new Set(viewFiles.map((file) => file.package))];

/** By package, the text of the file by which a command loads the views of one subject, and no others. */
export function writeViews(): readonly (readonly [path: string, text: string])[] {
  return viewPackages.map((folder) => {
    const own = viewFiles.filter((file) => file.package === folder);
    const lines = own.map(({ name, file }) => `  ${name}: () => import("../views/${file}.ts"),`);
    const text = `// Made by \`npm run generate\`.

/** Loads the views of one subject. */
export const ${folder}Views = {
${lines.join("\n")}
} as const;
`;
    return [`packages/${folder}/src/operations/generated/views.ts`, text];
  });
}

type Schema = Readonly<Record<string, unknown>>;
type Shell = Operation["shell"][number];
type Option = Exclude<NonNullable<NonNullable<Shell["options"]>[string]>, false | readonly unknown[]>;

/** The text of the file that holds the commands and their groups. */
export function writeShellCommands(): string {
  const commands = operations.flatMap((operation: Operation) =>
    operation.shell.map((shell) => `  ${JSON.stringify(commandOf(operation, shell)).slice(0, -1)},${writeCode(operation, shell)}},`),
  );
  const groups = Object.fromEntries(
    subjects
      .flatMap(({ shell }: { shell?: Readonly<Record<string, ShellGroup>> }) => Object.entries(shell ?? {}))
      .map(([name, group]) => [name, { about: group.about, help: helpOf(group) }]),
  );
  return `// Made by \`npm run generate\` from the operations.
${viewPackages.map((folder) => `import { ${folder}Views } from "@toolwright/${folder}/views";`).join("\n")}
import type { GeneratedCommand } from "../commands/operations/generated-command.ts";

export const groups: Readonly<Record<string, { readonly about: string; readonly help: string }>> = ${JSON.stringify(groups, null, 2)};

export const commands: readonly GeneratedCommand[] = [
${commands.join("\n")}
];
`;
}

function commandOf(operation: Operation, shell: Shell): ShellCommand {
  const { properties = {}, required = [] } = operation.input.json as { properties?: Record<string, Schema>; required?: readonly string[] };
  const schemaOf = (member: string) => properties[member] ?? {};
  const named = argumentsOf(shell).map(({ form, member }) => argumentOf(form, member, { shell, schema: schemaOf(member) }));
  const lines = named.find(({ reads }) => reads === "lines");
  const paging = shell.allPages ? ["after", "limit"].filter((member) => !Object.hasOwn(shell.options ?? {}, member)) : [];
  const [secret, ...more] = operation.secret.filter((member) => shell.options?.[member] === undefined);
  if (more.length > 0) throw new Error(`The command of ${operation.name} reads one secret, and not ${more.join(" and ")}, too.`);
  const settled = [...named.map(({ member }) => member), ...paging, ...(secret === undefined ? [] : [secret])];
  const rest = Object.keys(properties).filter((member) => !settled.includes(member) || member === shell.call?.input);
  const options = rest.flatMap((member): readonly ShellFlag[] => {
    const given = shell.options?.[member] ?? (shell.document || Object.hasOwn(shell.gives ?? {}, member) ? false : undefined);
    if (given === false) return [];
    const several = Array.isArray(given) ? (given as readonly Option[]) : [(given ?? {}) as Option];
    return several.map((each) => ({
      ...flagOf(member, each, { schema: schemaOf(member), isRequired: required.includes(member) && member !== shell.call?.input }),
      ...(each.from && { from: { ...readingOf(each.from.operation, operation), member: each.from.member } }),
    }));
  });
  return {
    operation: operation.name,
    words: commandWords(shell.form),
    about: shell.about ?? operation.title,
    effect: operation.effect,
    arguments: named,
    options,
    ...(shell.gives && { gives: shell.gives as NonNullable<ShellCommand["gives"]> }),
    help: helpOf(shell),
    ...(operation.route.method === "PATCH" && options.length > 0 && { changes: true as const }),
    ...(shell.nothing && { nothing: shell.nothing }),
    ...(shell.instead && { instead: shell.instead }),
    ...(shell.call && { call: callOf(shell.call, { named, required }) }),
    ...(shell.tool && { tool: shell.tool }),
    ...(shell.resumes && { resumes: shell.resumes }),
    ...(shell.follows && { follows: shell.follows }),
    ...(shell.each && { each: shell.each }),
    ...(lines && { batch: Number(schemaOf(lines.member).maxItems) }),
    ...(shell.store && { store: shell.store }),
    ...(shell.store && operation.needs.some(({ name }) => name === "secrets" || name === "masterKeys") && { secrets: true as const }),
    ...(shell.here && { here: shell.here }),
    ...(shell.machine && { machine: shell.machine }),
    ...(shell.tenantless && { tenantless: shell.tenantless }),
    ...(shell.decides && { decides: shell.decides }),
    ...(shell.links && { links: shell.links }),
    ...(shell.allPages && { allPages: Number(schemaOf("limit").maximum) }),
    ...(shell.missing && { missing: shell.missing }),
    ...(shell.hints && { hints: shell.hints }),
    ...(secret !== undefined && { secret }),
  };
}

const membersOfInput = ({ input }: Operation): readonly string[] => Object.keys((input.json as { properties?: object }).properties ?? {});

/** What a command reads first by another operation. */
function readingOf(name: string, operation: Operation): ShellReading {
  const read = findRead(name, operation);
  const takes = membersOfInput(read).filter((member) => membersOfInput(operation).includes(member));
  return { operation: name, takes };
}

function findRead(name: string, { name: reader }: Operation): Operation {
  const found = operations.find((each) => each.name === name);
  if (found?.effect === "read") return found;
  throw new Error(`The command of ${reader} reads ${name} first, which is no operation that only reads.`);
}

function writeQuestion(operation: Operation, { after, ...said }: NonNullable<Shell["asks"]>): string {
  if (after === undefined) return `"asks":${JSON.stringify(said)}`;
  const shown = findRead(after, operation);
  const reading = JSON.stringify(readingOf(after, operation)).slice(0, -1);
  return `"asks":${JSON.stringify(said).slice(0, -1)},"after":${reading},"view":${writeView(shown, {})}}}`;
}

function callOf(
  { tool, input }: NonNullable<Shell["call"]>,
  { named, required }: { readonly named: readonly ShellArgument[]; readonly required: readonly string[] },
): ShellCall {
  return {
    tool,
    input,
    ...(required.includes(input) && { needed: true as const }),
    ...(named.some(({ member }) => member === input) && { fields: true as const }),
  };
}

function argumentOf(form: string, member: string, { shell, schema }: { readonly shell: Shell; readonly schema: Schema }): ShellArgument {
  const { document } = shell;
  if (member === document?.word) return { form, member, kind: "json", holds: (document.names ?? {}) as Readonly<Record<string, string>> };
  const option = (shell.options?.[member] || {}) as Option;
  const word = wordOf(member, schema, option);
  // The input of a call may be words and an option.
  if (option.flags?.startsWith("-")) return { form, ...word };
  return { form: option.flags ?? form, ...word, ...(option.about && { about: option.about }) };
}

function wordOf(member: string, schema: Schema, { reads, as, into, names, clears }: Option): ShellWord {
  const more = {
    ...(reads && { reads }),
    ...(as && { as }),
    ...(into && { into }),
    ...(names !== undefined && { names }),
    ...(clears && { clears }),
  };
  const kind = reads === "word" ? (schema.type === "array" ? "texts" : "text") : kindOf(schema);
  return { member, kind: names === undefined ? kind : "texts", ...more };
}

/** Of what is a member of the member, in whichever form of it that has one. */
function partOf(schema: Schema, { into }: Option): Schema {
  if (into === undefined) return schema;
  const forms = [schema, ...((schema.anyOf ?? schema.oneOf ?? []) as readonly Schema[])];
  const parts = forms.map(({ properties }) => (properties as Record<string, Schema> | undefined)?.[into]);
  return parts.find((part) => part !== undefined) ?? {};
}

function kindOf({ type, items, anyOf }: Schema): ShellWord["kind"] {
  const types = new Set(
    [type, ...((anyOf as readonly Schema[] | undefined) ?? []).map((each) => each.type)]
      .flat()
      .filter((each) => each !== undefined && each !== "null"),
  );
  if (types.size !== 1) return "json";
  const [only] = types;
  if (only === "boolean") return "flag";
  if (only === "integer" || only === "number") return "number";
  if (only === "string") return "text";
  if (only !== "array") return "json";
  const inner = kindOf((items as Schema | undefined) ?? {});
  return inner === "text" ? "texts" : inner === "number" ? "numbers" : "json";
}

const placeholders: Readonly<Record<ShellWord["kind"], string>> = {
  text: " <text>",
  number: " <count>",
  flag: "",
  texts: " <text...>",
  numbers: " <count...>",
  json: " <json>",
};

const readPlaceholders: Readonly<Record<NonNullable<Option["reads"]>, string | undefined>> = {
  past: " <time>",
  future: " <time>",
  text: " <path>",
  document: " <path>",
  policy: " <path>",
  agents: " <path>",
  policyFile: " <path>",
  untestedPolicyFile: " <path>",
  wholePolicyFile: " <path>",
  lines: " <path>",
  word: undefined,
};

function flagOf(
  member: string,
  option: Option,
  { schema: whole, isRequired }: { readonly schema: Schema; readonly isRequired: boolean },
): ShellFlag {
  const schema = partOf(whole, option);
  const word = wordOf(member, schema, option);
  const placeholder = (option.reads && readPlaceholders[option.reads]) ?? placeholders[word.kind];
  const { usual, no, flags = `--${member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}${placeholder}` } = option;
  const about = option.about ?? describe(schema);
  return {
    ...word,
    flags,
    about,
    ...((option.required ?? (isRequired && option.into === undefined && option.from === undefined)) && { required: true as const }),
    ...(no !== undefined && { no }),
    ...(usual !== undefined && { usual }),
  };
}

/** As the help writes: it begins with a small letter, and names the values of an enumeration. */
function describe({ description = "", enum: values, items }: Schema): string {
  const known = (values ?? (items as Schema | undefined)?.enum) as readonly string[] | undefined;
  const text = String(description).replace(/, in milliseconds since the epoch$/, "");
  // An acronym stays as it is.
  const begun = /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  if (known === undefined || known.every((value) => text.includes(value))) return begun;
  const listed = `${known.slice(0, -1).join(", ")}${known.length > 1 ? " or " : ""}${known.at(-1)}`;
  return begun === "" ? listed : `${begun}: ${listed}`;
}

function helpOf({ notes, examples = [] }: Pick<Shell, "notes" | "examples">): string {
  const lines = examples.map((line) => `  toolwright ${line}`);
  const listed = lines.length === 0 ? [] : [`${lines.length === 1 ? "Example" : "Examples"}:\n${lines.join("\n")}`];
  return [notes, ...listed]
    .filter(Boolean)
    .map((part) => `\n${part}`)
    .join("\n");
}

/** What a command has of files of `views`, by functions that load them when it runs. */
function writeCode(operation: Operation, shell: Shell): string {
  const { asks, awaits, settle } = shell;
  return [
    ...(asks ? [writeQuestion(operation, asks)] : []),
    ...(awaits
      ? [
          `"awaits":${JSON.stringify({ ...awaits, waiting: undefined }).slice(0, -1)},"waiting":${loaderOf(awaits.waiting, operation.name)}}`,
        ]
      : []),
    ...(settle ? [`"settle":${loaderOf(settle, operation.name)}`] : []),
    `"view":${writeView(operation, shell)}`,
  ].join(",");
}

function writeView({ name, view: usual, output }: Operation, { view = usual }: Pick<Shell, "view">): string {
  if (view === undefined) return "{}";
  if ("columns" in view) return JSON.stringify({ ...view, times: timesOf(view, output.json as Schema) });
  if ("out" in view || "note" in view || "bytes" in view) return JSON.stringify(view);
  return loaderOf(view, name);
}

function loaderOf(wanted: unknown, name: string): string {
  const found = viewFiles.flatMap((file) =>
    Object.keys(file.exported).flatMap((each) => (file.exported[each] === wanted ? `${file.package}Views.${file.name}()).${each}` : [])),
  );
  if (found[0] === undefined) throw new Error(`What the command of ${name} shows or reads with is in no folder operations/views.`);
  return `async () => (await ${found[0]}`;
}

/** Members of the columns that are times: their schemas say so. */
function timesOf({ columns }: Columns<Readonly<Record<string, unknown>>>, { properties }: Schema): readonly string[] {
  const { items } = ((properties as Record<string, Schema>).items ?? {}) as { readonly items?: Schema };
  const members = (items?.properties ?? {}) as Readonly<Record<string, Schema>>;
  return Object.values(columns).filter((member) => /milliseconds since the epoch$/.test(String(members[member]?.description)));
}

import type { CallResult } from "../contract/call.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";

/** How one member of an operation's input is written on a command line. What is left out is derived from the member's schema. */
export interface ShellOption {
  /**
   * The option with its value, such as `--people <id...>`; of a word of the form, how the help names it, such as `<file>`. Default: the
   * member's name in kebab case, with a value by its type; of a word, as it stands in the form.
   */
  readonly flags?: string;
  /** What the help says. Default: the description of the member in the schema; of a word of the form, nothing. */
  readonly about?: string;
  /**
   * How the word is read. Default: by the member's type. `past`: a span before now (`30m`, `7d`) or a date; `future`: a date or a distance
   * (`+90m`); `text`: the content of a file, `-` for stdin; `document`: the YAML or JSON of a file, `-` for stdin; `policy`, `agents`: the
   * document of a policy or the agents that a file describes, of which what is wrong is told with its place; `policyFile`, `untestedPolicyFile`: what
   * a policy file of a server says with what it includes, or without a word the one that would be in force, of which what is wrong is the result
   * of the command; the second may have rules whose tests fail; `wholePolicyFile`: the same, of which what is wrong is an error; `lines`: what a file holds as lines of JSON or as one list, `-` for stdin; `word`:
   * as it is typed, of a member that takes other values beside texts.
   */
  readonly reads?:
    | "past"
    | "future"
    | "text"
    | "document"
    | "policy"
    | "policyFile"
    | "untestedPolicyFile"
    | "wholePolicyFile"
    | "agents"
    | "lines"
    | "word";
  /** Written around the word: `agent:{}` makes `agent:coder` of `coder`. */
  readonly as?: string;
  /**
   * The word is this member of the object that the member is: `steps` of `limits`. Options of one object are joined, also with what the
   * command gives of it.
   */
  readonly into?: string;
  /** An empty word, and `--no-NAME`, give no value: they add the name of the member, or of its part, to this list of the input. */
  readonly clears?: string;
  /** Each word names a member of the object, which gets this value. */
  readonly names?: boolean;
  /** True: the command cannot do without it, though the operation can. False: the other way round, since `settle` or `instead` sees to it. */
  readonly required?: boolean;
  /** What the help says of `--no-NAME`, which gives a boolean member the value false, and a list nothing. Default: there is no such option. */
  readonly no?: string;
  /** The word where the option is left out. */
  readonly usual?: string;
  /** Where the option is left out, the value is this member of the answer of another operation, which only reads. */
  readonly from?: { readonly operation: string; readonly member: string };
}

/** What a person is asked before it is done. Where nobody can be asked, and `--yes` is not said, it is refused. */
export interface ShellQuestion {
  /** `Delete {agent}?` */
  readonly question: string;
  /** Said where the person says no. */
  readonly declined: string;
  /** What the help says of `--yes`. */
  readonly about: string;
  /** An operation that only reads, whose view of its answer is shown before the question. */
  readonly after?: string;
}

/** The command of an operation. */
export interface ShellDefinition<Member extends string, Output = unknown> {
  /**
   * Words, then members of the input: `rooms post <id> <message...>`. `[name]` may be left out. A member with dots takes all words that follow:
   * as a list, or joined by blanks where the member is a text. Other members of the input are options.
   */
  readonly form: string;
  /** What the help says. Default: the title of the operation. */
  readonly about?: string;
  /** Options whose form is not the derived one; several give one member in different ways, and `false` leaves it out. */
  readonly options?: { readonly [Name in Member]?: ShellOption | readonly ShellOption[] | false };
  /** Members that the command gives by itself: `schedule pause <id>` gives true for `paused`. Of them there are only the options that are named. */
  readonly gives?: { readonly [Name in Member]?: Json };
  /** How this command shows the answer. Default: the view of the operation. */
  readonly view?: View<Output>;
  /** The command of the same words does this operation instead where this option is given. Of the other options only those stand with it that are also its own. */
  readonly instead?: { readonly flags: string; readonly about: string };
  /** Said where no option names a change. Default: which options there are. */
  readonly nothing?: string;
  /**
   * Does the operation once for each word of this member, which the form has with dots; of a member that is read from lines, for as many of
   * them at a time as its schema takes.
   */
  readonly each?: Member;
  /** The word of the form that names a YAML or JSON file, `-` for stdin, whose members are those of the input. There are only the options that are named. */
  readonly document?: {
    readonly word: string;
    /** What the file calls a member, where that is not its name. */
    readonly names?: { readonly [Name in Member]?: string };
  };
  /**
   * True: it needs the store alone, so it works where tools or policy cannot be loaded. `as it is`: it needs the port `store` alone, so it works
   * where the store has another version, too.
   */
  readonly store?: true | "as it is";
  /**
   * True: it goes by settings of whoever types it, such as periods or master keys, which a server of this machine may have otherwise: that one is not
   * asked.
   */
  readonly here?: true;
  /**
   * Members that are a call together: the name of its tool, and its input, which is the JSON of an option, or with dots in the form what `call`
   * takes behind a tool's name. Of a tool that there is not for whoever asks, the command says which rule hides it, or which name is near.
   */
  readonly call?: { readonly tool: Member; readonly input: Member };
  /**
   * The member that names a tool. Of one that there is not for whoever asks, the command says which rule hides it, or which name is near, as it does
   * of a call's.
   */
  readonly tool?: Member;
  /**
   * The member that names an approval. The command goes on with its call once the operation is done, tells of it while it runs, and shows its result in
   * place of the answer.
   */
  readonly resumes?: Member;
  /** Goes on until a signal: each item of what is followed is shown as it comes. This is said on stderr first, once nothing is missed any more. */
  readonly follows?: string;
  /** With this option, which is no member, the command waits for the end of what the operation has begun, and shows that in place of the answer. */
  readonly awaits?: AwaitedEnding;
  /** What the members that were typed come to together, where that is more than each of them says. It stands in a file of `views`. */
  readonly settle?: Settle;
  /**
   * True: it looks at this machine itself, and works where neither settings nor the store can be read. `with tools`: it needs the tools of this
   * machine alone, hidden ones too.
   */
  readonly machine?: true | "with tools";
  /** True: it is about the server and not about one tenant, so there is no `--tenant`. */
  readonly tenantless?: true;
  /** True: it decides about a call, so what this machine can give is looked at. */
  readonly decides?: true;
  /** A question before what cannot be taken back. */
  readonly asks?: ShellQuestion;
  /** True: its view writes links to pages of the server. */
  readonly links?: true;
  /** Reads all pages of a list, and not the first one alone: there are no options for pages, but those that are named. */
  readonly allPages?: true;
  /** Sentences below the help. */
  readonly notes?: string;
  /** Command lines below the help, without the program's name. */
  readonly examples?: readonly string[];
  /** What to do where there is no such thing, after `There is no ...`: `See them with: toolwright rooms list{where}`. */
  readonly missing?: string;
  /** What to do at a command line, said after the error of that code. */
  readonly hints?: { readonly [Code in ErrorCode]?: string };
}

/** How what was begun has ended: as a call, or without a result of one. */
export type Ending = { readonly result: CallResult } | { readonly state: "failed" | "cancelled" | "unknown"; readonly note: string };

/** Tells from an answer whether what was begun has ended. It stands in a file of `views`. */
export interface Waiting<Output> {
  /** Undefined while it goes on. */
  endingOf(answer: Output): Ending | undefined;
  /** Said where the command is ended first. */
  leave(answer: Output, context: Pick<ViewContext, "where">): string;
}

interface AwaitedEnding {
  readonly flags: string;
  readonly about: string;
  /** Reads how it stands, again and again. */
  readonly operation: string;
  /** The member of the answer that this operation takes. */
  readonly by: string;
  readonly waiting: Waiting<never>;
}

/** Gives the input of the operation. Throws `invalid_input` for members that do not go together. */
export type Settle = (typed: Readonly<Record<string, unknown>>, machine: { readonly zone: string }) => Readonly<Record<string, unknown>>;

/** A group of commands, such as `rooms`. */
export interface ShellGroup {
  readonly about: string;
  readonly notes?: string;
  readonly examples?: readonly string[];
}

/** A table for a screen. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a command says on stderr. */
export interface Note {
  readonly note: string;
  /** True: also beside `--json`. */
  readonly always?: true;
}

/** Text for stdout, so many blanks from the left. */
interface Indented {
  readonly text: string;
  readonly indent: number;
}

/** Text for stdout that a program reads, as it is and without a line end of its own; on a screen its control characters are written out. */
interface ExactText {
  readonly exact: string;
}

/** JSON for stdout, for programs: on one line, or indented by so many blanks. */
interface JsonPart {
  readonly json: unknown;
  readonly spaces?: number;
}

/**
 * What a command prints: text for stdout, a table for stdout, a note for stderr, or JSON for stdout. Each but exact text ends its line, and has its
 * control characters written out, in JSON as escapes.
 */
export type ViewPart = string | Indented | ExactText | Table | Note | JsonPart;

/** What a view knows beside the answer. */
export interface ViewContext {
  readonly input: Readonly<Record<string, unknown>>;
  /** Options that a suggested command needs to meet the same server and tenant: ` --tenant acme`. */
  readonly where: string;
  /** Whose it is, for people: the name of the tenant, or `The tenant` where only another server knows it. */
  readonly tenant: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** With which links to pages of the server begin, where the command has some. */
  readonly origin?: string | undefined;
  /** The policy file that the command read, with what it includes. */
  readonly read?: ReadFiles | undefined;
}

/** Where the members stand of what files say together. */
export interface ReadFiles {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** `policy.yaml:3:5`; undefined for what stands in no file. */
  placeOf(path: readonly (string | number)[]): string | undefined;
}

/** A view that needs code. It stands in a file of `views`, which a command loads when it runs. */
export interface Rendering<Output> {
  /** For people. Default: the answer as JSON. */
  show?(answer: Output, context: ViewContext): readonly ViewPart[];
  /** For `--json`. Default: the items of a list, else the whole answer. */
  json?(answer: Output, context: ViewContext): unknown;
  /** How the command ends, where the answer says that it did not go well. Default: done. */
  ends?(answer: Output): "done" | "failed" | "usage" | "unavailable" | "cancelled";
  /** For `--json` of what is read line by line: each value is on a line of its own. All pages of such a list are shown one by one, as they come. */
  jsonLines?(answer: Output, context: ViewContext): readonly unknown[];
  /** For people, of a command that does the operation once for each word. Default: what `show` makes of each answer, as soon as there is one. */
  showOfAll?(answers: readonly Output[], context: ViewContext): readonly ViewPart[];
  /** For `--json` of a command that does the operation once for each word. Default: what `json` makes of each answer, as a list. */
  jsonOfAll?(answers: readonly Output[], context: ViewContext): unknown;
}

/** A list of the items, each member in a column. */
export interface Columns<Item> {
  /** Members of an item by the title of their column; a list is joined by commas. */
  readonly columns: Readonly<Record<string, keyof Item & string>>;
  /** Said where there is no item. */
  readonly empty: string;
  /** Said where options narrow the list, and nothing is left. Default: `empty`. */
  readonly none?: string;
}

/** Short answers, in which `{name}` stands for a member of the answer or of the input, and `{where}` for options that a suggested command needs. */
export interface ShortAnswer {
  /** To stdout. */
  readonly out?: string;
  /** To stderr. */
  readonly note?: string;
  /** True: the note is also said beside `--json`. */
  readonly always?: true;
}

/** Bytes for stdout, as they are and also with `--json`: no view writes their control characters out. Of a list with pages each comes when it is there. */
export interface Bytes<Output> {
  /** The member of the answer that holds them, in base64. */
  readonly bytes: keyof Output & string;
}

type ItemOf<Output> = Output extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** How the answer of an operation is shown at a terminal. */
export type View<Output> =
  | Rendering<Output>
  | ShortAnswer
  | Bytes<Output>
  | ([ItemOf<Output>] extends [never] ? never : Columns<ItemOf<Output>>);

/** A view whose types are left out, as whoever writes the list of commands reads it. */
export type AnyView =
  | Rendering<never>
  | ShortAnswer
  | Bytes<Readonly<Record<string, unknown>>>
  | Columns<Readonly<Record<string, unknown>>>;

/** A command whose types are left out. */
export interface AnyShell extends Omit<ShellDefinition<string>, "view"> {
  readonly view?: AnyView;
}

/** How the words of an argument or option become a member. */
export interface ShellWord extends Pick<ShellOption, "reads" | "as" | "into" | "names" | "clears"> {
  readonly member: string;
  readonly kind: "text" | "number" | "flag" | "texts" | "numbers" | "json";
}

export interface ShellArgument extends ShellWord {
  /** As the help shows it: `<id>`, `[path]`, `<message...>`. */
  readonly form: string;
  readonly about?: string;
  /** The word names a file with members of the input, by what the file calls them where that is not their name. Then `member` counts for nothing. */
  readonly holds?: Readonly<Record<string, string>>;
}

export interface ShellFlag extends ShellWord {
  readonly flags: string;
  readonly about: string;
  readonly required?: true;
  readonly no?: string;
  readonly usual?: string;
  readonly from?: ShellReading & { readonly member: string };
}

/** An operation that a command does first, with those members of its own input that this one takes. */
export interface ShellReading {
  readonly operation: string;
  readonly takes: readonly string[];
}

/** Members that are a call together. */
export interface ShellCall {
  readonly tool: string;
  readonly input: string;
  /** True: there is no call without an input, so that one that is left out is empty. */
  readonly needed?: true;
  /** True: fields of the tool follow its name. */
  readonly fields?: true;
}

/** A command as data: all that help, completion and a call need, without the operation's schemas. */
export interface ShellCommand {
  readonly operation: string;
  readonly words: readonly string[];
  readonly about: string;
  readonly effect: "read" | "write" | "destructive";
  readonly arguments: readonly ShellArgument[];
  readonly options: readonly ShellFlag[];
  readonly gives?: Readonly<Record<string, Json>>;
  readonly help: string;
  /** True: without any option there is nothing to do. */
  readonly changes?: true;
  readonly nothing?: string;
  readonly instead?: NonNullable<AnyShell["instead"]>;
  readonly each?: string;
  readonly call?: ShellCall;
  readonly tool?: string;
  readonly resumes?: string;
  readonly follows?: string;
  /** As many values of that member are given at a time, which a file holds. */
  readonly batch?: number;
  readonly store?: true | "as it is";
  /** True: it needs the secrets of the store, too. */
  readonly secrets?: true;
  readonly here?: true;
  readonly machine?: true | "with tools";
  readonly tenantless?: true;
  readonly decides?: true;
  readonly links?: true;
  /** Items of a page; the command reads all pages. */
  readonly allPages?: number;
  readonly missing?: string;
  readonly hints?: NonNullable<AnyShell["hints"]>;
  /** The member that is read from who types without showing it, or from stdin where nobody does: no log and no error holds it. */
  readonly secret?: string;
}

import type { z } from "zod";
import type { Snapshot } from "../catalogue/catalogue.ts";
import type { CallResult } from "../contract/call.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import type { Explanation } from "../gate/explanation.ts";
import type { GateParts } from "../gate/gate-parts.ts";
import type { StoredApproval } from "../ports/approval-store.ts";
import type { Given, MaybeGiven, Port } from "../ports/define-port.ts";
import { type CompiledSchema, compileInput, compileOutput } from "../schema/compile-schema.ts";
import { schemaRules } from "../schema/rules.ts";
import type { Scope } from "../scope-types.ts";
import type { AnyShell, AnyView, ShellDefinition, View } from "./shell.ts";

/** How an operation is called beside its name and input. */
export interface OperateOptions {
  /** The session that it happens in, and that its events belong to. Default: one a day for each who changes something. */
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an operation works with. `ports` are those that it needs, and those that it can do without. */
export interface OperationContext<Needed extends Port = never, Optional extends Port = never> {
  readonly principal: Principal;
  readonly scope: Scope;
  /** The catalogue as the principal has it in the name of this agent. */
  readonly scopeAs: (agent: string) => Scope;
  /** The tools of code, before any tenant changed them. */
  readonly code: () => Snapshot;
  /** What the gate works with. */
  readonly parts: GateParts;
  readonly ports: Given<Needed> & MaybeGiven<Optional>;
  readonly signal: AbortSignal | undefined;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RouteOptions {
  /** A method and a path below the REST door: `GET /rooms/{id}`. Names in braces are members of the input; the rest comes from the query, or from the JSON body. */
  readonly at: `${Method} /${string}`;
  /** Status of a success. Default 200. */
  readonly status?: 200 | 201;
  /** Member of the output that counts its versions: it is the ETag, and `If-Match` gives it as the member `read` of the input. */
  readonly version?: "revision";
  /** Where it can be followed as a stream: the member of an item that is its event id, and that `Last-Event-ID` gives as `after`; `now`: each stream begins with what comes. */
  readonly follows?: "position" | "sequence" | "now";
}

/** How an operation is served over HTTP. */
export interface OperationRoute extends Omit<RouteOptions, "at"> {
  readonly method: Method;
  /** Below the door's path. */
  readonly path: string;
}

/** What a schema says of an output, which nobody changes: its members and items are read alone. */
export type Answer<Value> = [Json] extends [Value]
  ? Value
  : // These are read-only already, and declarations name them.
    Value extends string | number | boolean | null | undefined | CallResult | Explanation | Principal | StoredApproval
    ? Value
    : // Members of any name are what their schema says, to any depth.
      string extends keyof Value
      ? Value
      : { readonly [Name in keyof Value]: Answer<Value[Name]> };

/** `write` can be done again or taken back; `destructive` cannot. Both are in the log before they happen. */
export type OperationEffect = "read" | "write" | "destructive";

interface OperationDefinition<
  Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Needed extends Port,
  Optional extends Port,
> extends RouteOptions {
  /** A plural noun and a verb: `approvals.answer`. */
  readonly name: Name;
  readonly title: string;
  /** One or two sentences: what it does, and what it needs. */
  readonly description: string;
  /** Without it, the operation itself says what the principal may see. A sub-agent has no permission. */
  readonly permission?: string;
  /** True: agents and services may not use it, whatever their permissions. */
  readonly onlyPeople?: true;
  readonly effect: OperationEffect;
  /** Ports without which it is unavailable. */
  readonly needs?: readonly Needed[];
  /** Ports that it can do without. */
  readonly uses?: readonly Optional[];
  readonly input: Input;
  readonly output: Output;
  /** Its command, all that is to be said of one, or several. Without it, the operation has no command of its own. */
  readonly shell?: string | Commands<keyof z.input<Input> & string, Answer<z.output<Output>>>;
  /** How a terminal shows the answer. Default: as JSON. */
  readonly view?: View<Answer<z.output<Output>>>;
  /** Members of the input that no log and no error holds. */
  readonly secret?: readonly (keyof z.output<Input> & string)[];
  /** What the log holds of an input with that of a call in it, whose sensitive members it hides. */
  logged?(input: z.output<Input>, context: OperationContext<Needed, Optional>): unknown;
  /** *Contract:* what belongs to another tenant answers as what there is not: the same code and words. */
  run(input: z.output<Input>, context: OperationContext<Needed, Optional>): Promise<Answer<z.output<Output>>>;
  /** Rejects where the principal may not see what it asks for, or may not any more: asked every 15 seconds while it is followed. */
  allow?(input: z.output<Input>, context: OperationContext<Needed, Optional>): Promise<unknown>;
  /** Goes on where `run` ends, until the context's signal aborts. *Contract:* what is refused rejects, before the first item. */
  follow?(
    input: z.output<Input>,
    context: OperationContext<Needed, Optional> & { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<object>>;
}

type Commands<Member extends string, Output> = ShellDefinition<Member, Output> | readonly ShellDefinition<Member, Output>[];

/** All that is not a call, as a value: doors make their routes, commands and documents from it. */
export interface Operation<Name extends string = string, Input = unknown, Output = unknown, Ports extends Port = Port> {
  readonly name: Name;
  readonly route: OperationRoute;
  readonly title: string;
  readonly description: string;
  readonly permission: string | undefined;
  readonly onlyPeople: boolean;
  readonly effect: OperationEffect;
  readonly needs: readonly Ports[];
  readonly uses: readonly Ports[];
  /** Compiled on first use. */
  readonly input: CompiledSchema;
  readonly output: CompiledSchema;
  /** Its commands. */
  readonly shell: readonly AnyShell[];
  readonly view: AnyView | undefined;
  readonly secret: readonly string[];
  readonly logged: ((input: never, context: OperationContext<Port>) => unknown) | undefined;
  run(input: never, context: OperationContext<Port>): Promise<Output>;
  readonly allow: ((input: never, context: OperationContext<Port>) => Promise<unknown>) | undefined;
  readonly follow:
    | ((input: never, context: OperationContext<Port> & { readonly signal: AbortSignal }) => Promise<AsyncIterable<object>>)
    | undefined;
  /** Never set: carries the type of the input. */
  readonly takes?: Input;
}

/** An operation without what it does and its schemas: what tells whether somebody may do it, and where it is served. */
export interface OperationEntry extends Partial<Pick<Operation, "onlyPeople" | "permission">>, Pick<Operation, "effect" | "route"> {
  readonly name: string;
  /** Name of its subject. */
  readonly subject: string;
  /** Names of the ports without which it is unavailable. */
  readonly needs: readonly string[];
}

/** These rules keep the schemas of tools fit for models; nobody but programs calls operations. */
const exceptions = schemaRules.filter(({ exceptable }) => exceptable).map(({ name }) => name);

/** Defines an operation. Its schemas are compiled when they are first asked for. */
export function defineOperation<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Needed extends Port = never,
  Optional extends Port = never,
>(
  definition: OperationDefinition<Name, Input, Output, Needed, Optional>,
): Operation<Name, z.input<Input>, Answer<z.output<Output>>, Needed | Optional> {
  const { name, title, description, permission, onlyPeople = false, effect, needs = [], uses = [], secret = [] } = definition;
  let input: CompiledSchema | undefined;
  let output: CompiledSchema | undefined;
  return {
    ...{ name, route: routeOf(definition), title, description, permission, onlyPeople, effect, needs, uses, secret },
    ...{ shell: shellOf(definition), view: definition.view as AnyView | undefined },
    get input() {
      input ??= compileInput(definition.input, { tool: name, exceptions });
      return input;
    },
    get output() {
      output ??= compileOutput(definition.output, { tool: name });
      return output;
    },
    // The frame parses the input and finds the ports before it gets here.
    run: (given, context) => definition.run(given as z.output<Input>, context as unknown as OperationContext<Needed, Optional>),
    allow: definition.allow as Operation["allow"],
    logged: definition.logged as Operation["logged"],
    follow: definition.follow as Operation["follow"],
  };
}

function routeOf({
  name,
  at,
  status,
  version,
  follows,
  input,
}: RouteOptions & { readonly name: string; readonly input: z.ZodObject }): OperationRoute {
  const [method = "", path = ""] = at.split(" ");
  const [unknown] = membersOf({ path }).filter((member) => !Object.hasOwn(input.shape, member));
  if (unknown !== undefined) throw new Error(`The operation ${name} is at ${at}, and its input has no member ${unknown}.`);
  return { method: method as Method, path, ...(status && { status }), ...(version && { version }), ...(follows && { follows }) };
}

function shellOf({
  name,
  shell = [],
  input,
}: {
  readonly name: string;
  readonly shell?: string | Commands<string, never>;
  readonly input: z.ZodObject;
}): readonly AnyShell[] {
  const commands = [typeof shell === "string" ? { form: shell } : shell].flat() as readonly AnyShell[];
  for (const { form, options = {}, gives = {}, each, document, call, tool, resumes } of commands) {
    const words = argumentsOf({ form }).flatMap(({ member }) => (member === document?.word ? [] : [member]));
    const named = [
      ...words,
      ...Object.keys({ ...options, ...gives, ...document?.names }),
      ...(each ? [each] : []),
      ...(tool ? [tool] : []),
      ...(resumes ? [resumes] : []),
      ...(call ? [call.tool, call.input] : []),
    ];
    const unknown = named.find((member) => !Object.hasOwn(input.shape, member));
    if (unknown !== undefined)
      throw new Error(`The operation ${name} has the command ${JSON.stringify(form)}, and its input has no member ${unknown}.`);
  }
  return commands;
}

/** The members of the input that a command has as words: `<id>` it needs, `[path]` it may have, `<message...>` takes all that follow. */
export const argumentsOf = ({
  form,
}: Pick<ShellDefinition<string>, "form">): readonly { readonly form: string; readonly member: string }[] =>
  Array.from(form.matchAll(/[<[](\w+)(?:\.\.\.)?[>\]]/g), ([written, member = ""]) => ({ form: written, member }));

/** The members of the input that a path names. */
export const membersOf = ({ path }: Pick<OperationRoute, "path">): readonly string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, member = ""]) => member);

import type { FormPlan } from "../../form/form-plan.ts";
import type { Json, JsonSchema } from "../../form/json-schema.ts";
import { readKept, writeKept } from "../../parts/kept.ts";

interface Owner {
  readonly tenant: string;
  readonly person: string;
  readonly tool: string;
}

const nameOf = ({ tenant, person, tool }: Owner) => `toolwright.draft.${JSON.stringify([tenant, person, tool])}`;

/** What somebody had typed for a tool; undefined for nothing, and for what no longer is JSON. */
export function readDraft(owner: Owner): Json | undefined {
  const kept = readKept("local", nameOf(owner));
  try {
    return kept === undefined ? undefined : (JSON.parse(kept) as Json);
  } catch {
    return undefined;
  }
}

/** Keeps it for this person, tenant and tool. What is secret stays in the page. */
export function keepDraft(owner: Owner, input: Json | undefined, plan: FormPlan): boolean {
  return writeKept("local", nameOf(owner), input === undefined ? undefined : JSON.stringify(withoutSecrets(input, plan.schema, plan.ui)));
}

type Ui = { readonly [name: string]: unknown };

/** Leaves out members that are shown as hidden text, at any depth. */
export function withoutSecrets(value: Json, schema: JsonSchema, ui: Ui): Json {
  if (Array.isArray(value)) {
    const [items, itemUi] = [schema.items, (ui.items ?? {}) as Ui];
    return value.map((each) => withoutSecrets(each, typeof items === "object" ? items : {}, itemUi));
  }
  if (typeof value !== "object" || value === null) return value;
  const branches = [
    { schema, ui },
    ...(schema.oneOf ?? []).map((branch, at) => ({ schema: branch as JsonSchema, ui: ((ui.oneOf as Ui[] | undefined)?.[at] ?? {}) as Ui })),
  ];
  const isSecret = (name: string) => branches.some((branch) => (branch.ui[name] as Ui | undefined)?.["ui:widget"] === "hidden-text");
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecret(name))
      .map(([name, member]) => {
        const branch = branches.find((each) => each.schema.properties?.[name]) ?? { schema: {}, ui: {} };
        return [name, withoutSecrets(member as Json, branch.schema.properties?.[name] ?? {}, (branch.ui[name] ?? {}) as Ui)];
      }),
  );
}

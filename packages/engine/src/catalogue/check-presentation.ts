import type { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { toPointer } from "../schema/json-pointer.ts";
import type { AnyTool } from "../tool/define-tool.ts";
import type { FormSpec, OutputSection, ToolPresentation, ViewSpec } from "../tool/presentation.ts";
import { findFormFault, type SpecFault } from "./check-form.ts";
import { findViewFault } from "./check-view.ts";
import { formSchema, presentationSchema, viewSchema } from "./presentation-schema.ts";

/** What somebody else than its definition says of how people meet a tool. */
export interface RegisteredSpecs {
  readonly form?: FormSpec | undefined;
  readonly view?: ViewSpec | undefined;
}

interface Presented {
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly registered?: RegisteredSpecs | undefined;
}

/**
 * The presentation of a tool with what is registered for it: output sections become a view where there is none. Throws `definition_invalid` where it
 * has another shape, or names what the schemas do not have.
 */
export function presentTool({ name, presentation = {} }: AnyTool, { input, output, registered = {} }: Presented): ToolPresentation {
  const refuse = (fault: SpecFault) => refuseSpec(`Tool "${name}", presentation`, fault);
  const { outputSections, ...said } = parseSpec(presentationSchema, presentation, refuse);
  const form = registered.form ?? said.form;
  const view = registered.view ?? said.view ?? (outputSections && readSections(outputSections, refuse));
  const fault = (form && findFormFault(form, input)) ?? (view && findViewFault(view, output));
  if (fault) refuse(fault);
  return { ...said, ...(form && { form }), ...(view && { view }) };
}

const forTool = /^tool:([a-z][a-z0-9_-]{0,63})$/;

/** A spec for `tool:NAME`, with that name. Throws `definition_invalid`. */
export function readFormSpec(key: string, spec: unknown): readonly [name: string, spec: FormSpec] {
  return [toolOf(key), parseSpec(formSchema, spec, (fault) => refuseSpec(`The form spec for ${key}`, fault))];
}

/** A spec for `tool:NAME`, with that name. Throws `definition_invalid`. */
export function readViewSpec(key: string, spec: unknown): readonly [name: string, spec: ViewSpec] {
  return [toolOf(key), parseSpec(viewSchema, spec, (fault) => refuseSpec(`The view spec for ${key}`, fault))];
}

function toolOf(key: string): string {
  const name = forTool.exec(key)?.[1];
  if (name !== undefined) return name;
  throw new ToolwrightError("definition_invalid", `A spec is registered for ${JSON.stringify(key)}. Write "tool:" and the name of a tool.`);
}

function refuseSpec(what: string, { place, problem }: SpecFault): never {
  throw new ToolwrightError("definition_invalid", `${what}: ${place}: ${problem}.`);
}

type Refuse = (fault: SpecFault) => never;

function parseSpec<Spec>(schema: z.ZodType<Spec>, value: unknown, refuse: Refuse): Spec {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  if (issue.code === "unrecognized_keys")
    return refuse({ place: toPointer([...issue.path, issue.keys[0] ?? ""]), problem: "there is no such field" });
  return refuse({ place: toPointer(issue.path) || "/", problem: issue.message });
}

/** The renderer that the config names, else that of the member's name. */
function customOf(key: string, { renderer = key, ...config }: JsonObject): JsonObject {
  return { renderer, config };
}

/** A block for each section, and the place of a mistake in it. */
function readSections(sections: readonly OutputSection[], refuse: Refuse): ViewSpec {
  const blocks = sections.map(({ key, label, type, config = {} }) => ({
    ...(type === "custom" ? customOf(key, config) : config),
    block: type,
    title: label,
    data: toPointer([key]),
  }));
  return parseSpec(viewSchema, { version: 1, blocks }, ({ place, problem }) =>
    refuse({ place: place.replace(/^\/blocks\/(\d+)/, "/outputSections/$1/config"), problem }),
  );
}

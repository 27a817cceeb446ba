import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallResult } from "../../contract/call.ts";
import type { JsonObject } from "../../contract/json.ts";
import { compileOutput } from "../../schema/compile-schema.ts";
import { notedOutput, notedSchema } from "./note-result.ts";

const schemaOf = (schema: z.ZodType) => compileOutput(schema, { tool: "t" }).json;
const done = (output: JsonObject, notes?: readonly string[]) =>
  ({ status: "done", output, ...(notes && { notes }) }) as unknown as Extract<CallResult, { status: "done" }>;
const describedNotes = { type: "array", items: { type: "string" }, description: expect.any(String) };

describe("the member for notes in a tool's output", () => {
  it.each<[name: string, schema: z.ZodType, output: JsonObject, member: string]>([
    ["a closed object", z.object({ text: z.string() }), { text: "x" }, "notes"],
    ["an object with notes of its own", z.object({ notes: z.string() }), { notes: "mine" }, "toolwrightNotes"],
    [
      "an object with both names",
      z.object({ notes: z.int(), toolwrightNotes: z.int() }),
      { notes: 1, toolwrightNotes: 2 },
      "toolwrightNotes_",
    ],
    ["a record", z.record(z.string(), z.int()), { notes: 1 }, "toolwrightNotes"],
    ["a record of certain names", z.partialRecord(z.enum(["a", "b"]), z.int()), { a: 1 }, "toolwrightNotes"],
    ["an open object", z.looseObject({ text: z.string() }), { text: "x", notes: 3 }, "toolwrightNotes"],
    ["a union", z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), { b: 1 }, "notes"],
  ])("of %s is described, optional, first, and takes no member of the tool away", (_, schema, output, member) => {
    const json = schemaOf(schema);
    const advertised = notedSchema(json);
    const written = notedOutput(done(output, ["One."]), json);
    expect(written).toEqual({ [member]: ["One."], ...output });
    expect(Object.keys(written)[0]).toBe(member);
    expect((advertised.properties as JsonObject)[member]).toEqual(describedNotes);
    expect((advertised.required as string[] | undefined) ?? []).not.toContain(member);
    const accepts = z.fromJSONSchema(advertised as never);
    expect(accepts.safeParse(written).success).toBe(true);
    expect(accepts.safeParse(output).success).toBe(true);
  });

  it("is absent when there is nothing to say", () => {
    const json = schemaOf(z.object({ text: z.string() }));
    const output = { text: "x" };
    expect(notedOutput(done(output), json)).toBe(output);
    expect(notedOutput(done(output, []), json)).toBe(output);
  });

  it("never replaces a member that an open output happens to have", () => {
    const output = { toolwrightNotes: 7 };
    expect(notedOutput(done(output, ["One."]), schemaOf(z.record(z.string(), z.int())))).toBe(output);
  });

  it("is made once for a schema", () => {
    const json = schemaOf(z.object({ text: z.string() }));
    expect(notedSchema(json)).toBe(notedSchema(json));
  });
});

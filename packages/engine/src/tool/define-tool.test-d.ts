import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Files, ReadFiles } from "../ports/files.ts";
import type { Http, ReadHttp } from "../ports/http.ts";
import { defineTool } from "./define-tool.ts";

const io = { input: z.object({ a: z.number(), b: z.string().nullish() }), output: z.object({ sum: z.number() }) };

test("input and output types come from the schemas", () => {
  defineTool({
    name: "t",
    description: "d",
    ...io,
    run(input) {
      expectTypeOf(input).toEqualTypeOf<{ a: number; b?: string | null | undefined }>();
      return { sum: input.a };
    },
  });
  // @ts-expect-error the output schema wants `sum`
  defineTool({ name: "t", description: "d", ...io, run: () => ({ total: 1 }) });
});

test("ctx holds exactly the declared capabilities, at the declared level", () => {
  defineTool({
    name: "t",
    description: "d",
    ...io,
    effects: { files: "read", http: { access: "write", hosts: ["example.org"] } },
    run(_, ctx) {
      expectTypeOf(ctx.files).toEqualTypeOf<ReadFiles>();
      expectTypeOf(ctx.http).toEqualTypeOf<Http>();
      // @ts-expect-error exec is not declared
      ctx.exec;
      // @ts-expect-error files are for reading only
      ctx.files.write;
      return { sum: 1 };
    },
  });
  defineTool({
    name: "t",
    description: "d",
    ...io,
    effects: { files: "write", http: "read", destructive: true },
    run(_, ctx) {
      expectTypeOf(ctx.files).toEqualTypeOf<Files>();
      expectTypeOf(ctx.http).toEqualTypeOf<ReadHttp>();
      return { sum: 1 };
    },
  });
});

test("a tool without effects has no capabilities", () => {
  defineTool({
    name: "t",
    description: "d",
    ...io,
    run(_, ctx) {
      // @ts-expect-error nothing is declared
      ctx.files;
      return { sum: 1 };
    },
  });
});

test("a context-built schema gives the input type", () => {
  defineTool({
    name: "t",
    description: "d",
    input: (context) => z.object({ kind: z.enum([context.tenant]) }),
    output: io.output,
    run(input) {
      expectTypeOf(input.kind).toEqualTypeOf<string>();
      return { sum: 1 };
    },
  });
});

import { defineTool } from "@toolwright/engine";
import { codeCapability, codeRun } from "@toolwright/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { ann, outputOf, World } from "./agents-world.ts";

const things = ["invoice", "ticket", "contact", "shipment", "campaign"];
const acts = ["find", "create", "update", "export", "import", "merge", "split", "lock", "review", "tag"];
const more = ["copy", "move", "print", "count", "sum", "sort", "plan", "sign", "close", "archive"];
const hundred = things.flatMap((thing) =>
  [...acts, ...more].map((act) =>
    defineTool({
      ...{ name: `${thing}_${act}`, description: `Does ${act} with the ${thing} of that number.` },
      input: z.object({ number: z.int().describe(`Number of the ${thing}`) }),
      output: z.object({ number: z.int(), isLate: z.boolean() }),
      run: ({ number }) => ({ number, isLate: number === 3 }),
    }),
  ),
);

it("an agent with a hundred tools finds two, corrects its program, and goes on in another process after its call was approved", async () => {
  const program = (text: string) => [{ name: "code_run", input: { program: text } }];
  const read = "const found = await Promise.all([1, 2, 3].map((number) => tools.invoice_find({ number })));\nconsole.log(found.length);\n";
  const world = await World.open([
    program('return (await findTools("find an invoice")).slice(0, 1);'),
    program(`${read}const late = found.filter((each) => each.late);\nreturn await tools.pay({ text: late[0].number });`),
    program(`${read}const late = found.filter((each) => each.isLate);\nreturn await tools.pay({ text: "invoice " + late[0].number });`),
    "Paid.",
  ]);
  const start = () => {
    const engine = world.start({ tools: [...hundred, codeRun], capabilities: [codeCapability({ clock: world.clock })] });
    const permissions = [...ann.permissions, "code.tenant.run"];
    return { engine, person: engine.scope({ ...ann, permissions }, { session: "inbox" }) };
  };
  const first = start();
  const asked = await first.person.invokeNamed("agent_run", { agent: "assistant", message: "Pay the late invoice." });
  if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
  expect(asked.approval.summary).toContain("invoice 3");
  const [found, failed] = world.toolMessages();
  expect(found).toMatch(
    /tools\.invoice_find\(input: \{ number: number \/\* Number of the invoice \*\/ \}\): Promise<\{ number: number; isLate: boolean \}>/,
  );
  expect(failed).toMatch(
    /program_threw.*\n {2}4 \| return await tools\.pay.*\n {6}-+\^\nCorrect it and run it again\. 3 calls are done.*"logs":\["3"\]/s,
  );
  const { person, engine } = start();
  await person.answer(asked.approval.id, { kind: "approve" });
  expect(outputOf(await person.resume(asked.approval.id))).toMatchObject({ text: "Paid.", state: "done" });
  expect(world.did).toEqual(["pay invoice 3"]);
  expect(world.toolMessages().at(-1)).toContain("pay did invoice 3");
  expect(world.model.requests[0]?.tools?.length).toBeGreaterThan(100);
  await Promise.all([first.engine.close(), engine.close(), world.close()]);
});

/** Tools with sensitive members, as the source of a file in a folder of tools. `made` is what they give. */
export const vaultTool = (name: string, made: string, asks = false) => `import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";

const secret = () => z.string().min(8).meta({ sensitive: true });

export default defineTool({
  name: ${JSON.stringify(name)},${asks ? '\n  approval: "always_ask",' : ""}
  description: "Keeps a password. For tests.",
  input: z.object({ way: z.string(), accounts: z.array(z.object({ user: z.string(), password: secret() })), pin: z.string().nullish() }),
  output: z.object({ echo: z.string(), filling: z.string(), token: secret() }),
  presentation: { form: { version: 1, fields: { pin: { widget: "password" } } } },
  aliases: { logins: "accounts" },
  async run({ way, accounts: [{ password }], pin }, { log, progress, output, note, artifacts }) {
    const all = password + " " + pin;
    if (way === "throw") throw new Error("with " + all, { cause: new Error(encodeURIComponent(password)) });
    if (way === "fail") return fail("refused", "no account with " + all, { all, [password]: Buffer.from(password).toString("base64url") });
    for (const level of ["debug", "info", "warn", "error"]) log(level, "with " + all);
    progress(1, 2, "with " + all);
    for (const character of "<" + all + ">") output.append(character);
    note("It was " + all + ".");
    await artifacts.save({ name: "note " + password, mediaType: "text/plain", content: "a " + all });
    return { echo: "you said " + all, filling: way === "large" ? "x".repeat(200_000) : "", token: ${JSON.stringify(made)} + password };
  },
});
`;

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tokens } from "./tokens.ts";

const console = readFileSync(new URL("../../../../web/src/style/tokens.css", import.meta.url), "utf8");
const [, light = ""] = /^:root \{([^}]*)\}/m.exec(console) ?? [];
const [, dark = ""] = /^:root\[data-mantine-color-scheme="dark"\] \{([^}]*)\}/m.exec(console) ?? [];
const valueIn = (rule: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(rule)?.[1];

test.each(Object.entries(tokens))("%s is the colour that the console has", (name, values) => {
  expect(values).toEqual([valueIn(light, name), valueIn(dark, name)]);
});

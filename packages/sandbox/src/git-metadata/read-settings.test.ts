import { expect, test } from "vitest";
import { readSettings } from "./read-settings.ts";

test("settings are read from text alone: what is no text could not be written again", () => {
  expect(readSettings(Buffer.from("[user]\nname = Jos\u00e9\n"))).toMatchObject([{ key: "user.name", value: "Jos\u00e9" }]);
  expect(readSettings(Buffer.from("[user]\nname = Jos\u00e9\n", "latin1"))).toBeUndefined();
});

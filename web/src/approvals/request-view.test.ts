import { expect, test } from "vitest";
import { partsOf } from "./request-view.tsx";

test.each([
  { url: "https://example.org/a?b=1#c", parts: ["example.org", "/a?b=1#c"] },
  { url: "https://example.org", parts: ["example.org", "/"] },
  { url: "http://example.org/", parts: ["example.org (http, readable on the way)", "/"] },
  { url: "https://example.org:443/a/../b", parts: ["example.org", "/b", "https://example.org:443/a/../b"] },
  { url: "https://good.example@bad.example/", parts: ["bad.example", "/", "https://good.example@bad.example/"] },
  { url: "https://exаmple.org/", parts: ["xn--exmple-4nf.org", "/", "https://exаmple.org/"] },
  { url: "not a URL", parts: ["not a URL"] },
])("$url is told by its parts", ({ url, parts }) => {
  expect(partsOf(url).map(({ text }) => text)).toEqual(parts);
});

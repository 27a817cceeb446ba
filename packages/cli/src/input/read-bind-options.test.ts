import { ownNames } from "@toolwright/server/http";
import { describe, expect, it } from "vitest";
import { type BindOptions, readBindOptions } from "./read-bind-options.ts";

const read = (options: Partial<BindOptions>, env: NodeJS.ProcessEnv = {}) =>
  readBindOptions({ port: "7777", host: "127.0.0.1", ...options }, { env });
const token = { TOOLWRIGHT_TOKEN: "a-token-of-at-least-16-characters" };
const url = { TOOLWRIGHT_URL: "https://tools.example.org" };

describe("where a server is served, and for whom (R-MC-3)", () => {
  it.each([
    { name: "another address without token or sign-in", options: { host: "0.0.0.0" }, env: {}, message: /would let others on the network/ },
    { name: "sign-in over the network without an address", options: { host: "0.0.0.0", auth: true }, env: {}, message: /TOOLWRIGHT_URL/ },
    { name: "a proxy's address without token or sign-in", options: {}, env: url, message: /anybody could use the tools.*--auth/ },
    { name: "a port that is none", options: { port: "80a" }, env: {}, message: /"80a" is not a port/ },
    { name: "a port that is empty, which would be any", options: { port: "" }, env: {}, message: /"" is not a port/ },
    { name: "an address that is empty, which would be all", options: { host: "" }, env: token, message: /--host is empty/ },
    { name: "a token that is empty", options: { token: "" }, env: token, message: /--token is empty\..*16 characters/ },
    {
      name: "an empty token in the environment",
      options: {},
      env: { TOOLWRIGHT_TOKEN: "" },
      message: /TOOLWRIGHT_TOKEN is empty.*leave it out/,
    },
    { name: "a token that is short", options: { token: "abc" }, env: {}, message: /--token has 3 characters.*16 characters/ },
    {
      name: "a short token in the environment",
      options: {},
      env: { TOOLWRIGHT_TOKEN: "abc" },
      message: /TOOLWRIGHT_TOKEN has 3 characters/,
    },
    { name: "proxies that are no addresses", options: {}, env: { TOOLWRIGHT_TRUSTED_PROXIES: "nginx" }, message: /"nginx"/ },
  ])("refuses $name", ({ options, env, message }) => {
    expect(() => read(options, env)).toThrow(message);
  });

  it.each([
    { name: "this machine", options: {}, env: {} },
    { name: "this machine by IPv6", options: { host: "::1" }, env: {} },
    { name: "the network with a token", options: { host: "0.0.0.0" }, env: token },
    { name: "the network with sign-in and an address", options: { host: "0.0.0.0", auth: true }, env: url },
    { name: "a proxy's address with a token", options: {}, env: { ...token, ...url } },
    { name: "a proxy's address with sign-in", options: { auth: true }, env: url },
    { name: "an address of this machine", options: {}, env: { TOOLWRIGHT_URL: "http://localhost:7777" } },
  ])("takes $name", ({ options, env }) => {
    expect(read(options, env)).toMatchObject({ port: 7777, origin: (env as NodeJS.ProcessEnv).TOOLWRIGHT_URL });
  });

  it("answers under the name that it listens on, and under those that were named", () => {
    expect(read({ host: "tools.internal", allowHost: ["tools.example.org"] }, token).allowedHosts).toEqual([
      "localhost",
      "127.0.0.1",
      "[::1]",
      "tools.internal",
      "tools.example.org",
    ]);
    expect(read({ host: "0.0.0.0" }, token).allowedHosts).toEqual(["localhost", "127.0.0.1", "[::1]"]);
  });

  it("has names of its own that tools do not call, apart from those of every machine (R-NW-2)", () => {
    const place = read({ host: "tools.internal", allowHost: ["tools.example.org"] }, { ...token, ...url });
    expect(ownNames(place)).toEqual(["tools.internal", "tools.example.org"]);
    expect(ownNames(read({}))).toEqual([]);
  });
});

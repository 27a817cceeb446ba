import { hostname, networkInterfaces } from "node:os";
import { compilePolicy } from "@toolwright/engine/policy";
import { findRuleOpening, type OwnAddresses } from "@toolwright/sandbox";
import type { LoadedPolicy } from "../policy-file/load-policy-file.ts";
import { SettingsError } from "../settings-error.ts";
import type { Ask, Place } from "./place.ts";

/** Every form of an address that leads to what listens on loopback. */
const loopbackForms = ["127.0.0.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"];

/**
 * Keeps commands from this server where it takes every program of the machine for its owner: one that reached it could call a tool, be asked, and
 * say yes to itself (R-AP-11).
 */
export class OwnDoor {
  readonly #isOpen: boolean;
  #port: number;

  constructor({ token, auth, ask, port }: Pick<Place, "token" | "auth" | "port"> & { readonly ask: Ask }) {
    this.#isOpen = token === undefined && auth === undefined && ask !== "never";
    this.#port = port;
  }

  /** Where it really listens: known once it does, when any free port was wanted. */
  listensAt(url: string, policy: LoadedPolicy): void {
    this.#port = Number(new URL(url).port || 80);
    this.refuse(policy);
  }

  /** Throws for a policy under which a command reaches this server. An agent's own document only narrows what holds for all. */
  refuse({ tiers }: Pick<LoadedPolicy, "tiers">): void {
    if (!this.#isOpen) return;
    const { sandbox, network } = compilePolicy(tiers);
    const why =
      "without sign-in the server takes every program of this machine for you, so a command could approve its own call. Let people sign in (--auth), set TOOLWRIGHT_TOKEN, or serve with --ask never";
    if (sandbox.network === "host")
      throw new SettingsError(
        `With sandbox.network "host" commands reach this server, and ${why}; else set sandbox.network to none or filtered.`,
      );
    const rule = sandbox.network === "filtered" ? findRuleOpening(network, this.#place()) : undefined;
    if (rule !== undefined)
      throw new SettingsError(
        `With ${JSON.stringify(rule)} in network.allow commands reach this server on port ${this.#port}, and ${why}; else take that rule out, or its address out of network.allow_ranges.`,
      );
  }

  #place(): OwnAddresses {
    const interfaces = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address.split("%", 1)[0]!));
    return { port: this.#port, addresses: loopbackForms, others: [...interfaces, hostname()] };
  }
}

import { tenantPatterns } from "./door-inputs.ts";
import type { GrowthCase } from "./growth-case.ts";
import { growthCases, type ListedTool } from "./growth-cases.ts";
import { growsTooFast, medianOf, mostMs, type Times } from "./judge-growth.ts";
import { makeFor } from "./made.ts";
import { ServedProduct } from "./served-product.ts";
import { type Size, sizes } from "./shapes.ts";

const rounds = 3;
/** Milliseconds until a request counts as one that does not come back. */
const mostWaitMs = 20_000;
/** Milliseconds from which one look is enough; after four times as many, larger inputs are left out. */
const longMs = 1_000;

/** What a case came to. */
export interface GrowthRow extends Pick<GrowthCase, "target" | "shape"> {
  readonly times: Times;
  readonly grows: boolean;
  /** Of the answer to the largest input; undefined when none came. */
  readonly status: number | undefined;
}

/** Drives cases against a server, and starts another one when an input does not come back. */
export class GrowthDriver {
  #product: ServedProduct;
  #cases: readonly GrowthCase[];

  private constructor(product: ServedProduct, cases: readonly GrowthCase[]) {
    this.#product = product;
    this.#cases = cases;
  }

  static async start(): Promise<GrowthDriver> {
    return new GrowthDriver(...(await open()));
  }

  get cases(): readonly GrowthCase[] {
    return this.#cases;
  }

  /** Undefined where the largest input stays below the bound: then its growth does not matter. A row that grows was measured twice. */
  async drive(index: number): Promise<GrowthRow | undefined> {
    const { target, shape } = this.#case(index);
    const quarter = await this.#measure(index, 2);
    if (quarter.ms <= longMs) {
      const { ms, status } = await this.#measure(index, 8);
      if (ms <= mostMs) return undefined;
      const times = { 2: quarter.ms, 8: ms };
      if (!growsTooFast(times)) return { target, shape, times, status, grows: false };
    }
    let measured = await this.#measureAll(index);
    if (growsTooFast(measured.times)) measured = await this.#measureAll(index);
    return { target, shape, ...measured, grows: growsTooFast(measured.times) };
  }

  stop(): Promise<void> {
    return this.#product.stop();
  }

  #case(index: number): GrowthCase {
    const found = this.#cases[index];
    if (!found) throw new Error(`There is no case ${index}.`);
    return found;
  }

  async #measureAll(index: number): Promise<Pick<GrowthRow, "times" | "status">> {
    const times: Partial<Record<Size, number>> = {};
    let status: number | undefined;
    for (const size of sizes) {
      const taken: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const answered = await this.#measure(index, size);
        taken.push(answered.ms);
        ({ status } = answered);
        if (answered.ms > longMs) break;
      }
      times[size] = medianOf(taken);
      if (times[size] > 4 * longMs) break;
    }
    return { times, status };
  }

  async #measure(index: number, size: Size) {
    const request = await this.#case(index).at(size);
    const answered = await this.#product.measure(request, mostWaitMs);
    if (answered.status === undefined) {
      await this.#product.stop();
      [this.#product, this.#cases] = await open();
    }
    return answered;
  }
}

async function open(): Promise<[ServedProduct, readonly GrowthCase[]]> {
  const product = await ServedProduct.start();
  const made = await makeFor(product);
  const { items } = JSON.parse((await product.send({ method: "GET", path: "/api/tools" })).body) as {
    readonly items: readonly ListedTool[];
  };
  for (const [index, pattern] of tenantPatterns.entries()) {
    const inputSchema = { type: "object", properties: { text: { type: "string", pattern } } };
    const body = { group: "own", description: "Does something.", inputSchema, outputSchema: { type: "object" } };
    await product.send({ method: "PUT", path: `/api/tenant-tools/own_pattern_${index}`, body: JSON.stringify(body) });
  }
  return [product, growthCases(made, items, product)];
}

import type { OperationName } from "@toolwright/engine/operations";
import { writeRequest } from "../../packages/doors/src/rest/routes-entry.ts";
import { operations } from "../../scripts/product-subjects.ts";
import { doorCases } from "./door-inputs.ts";
import { fileCases } from "./file-inputs.ts";
import { growInput } from "./grow-inputs.ts";
import { callTool, type GrowthCase } from "./growth-case.ts";
import type { Made } from "./made.ts";
import { inputOf } from "./operation-inputs.ts";
import type { ServedProduct } from "./served-product.ts";
import type { Size } from "./shapes.ts";
import { toolInputOf } from "./tool-inputs.ts";

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Characters that an address of a request may have here: Node reads 16 KiB of headers. */
const longestAddress = 9_000;

const inAddress = new Set(operations.filter(({ route: { method } }) => method === "GET" || method === "DELETE").map(({ name }) => name));

/** Every case, from the product's own lists of operations and tools. */
export function growthCases(made: Made, tools: readonly ListedTool[], product: ServedProduct): readonly GrowthCase[] {
  return [...operationCases(made), ...tools.flatMap(toolCases), ...fileCases(product), ...doorCases()];
}

function operationCases(made: Made): readonly GrowthCase[] {
  return operations.flatMap((operation) => {
    const { name, input } = operation;
    const { path } = operation.route;
    const declared = inputOf(operation);
    if ("exempt" in declared) return [];
    return (
      growInput(declared.base(made), input.json, {
        ...{ most: inAddress.has(name) ? longestAddress : undefined, parsed: declared.parsed },
      })
        // A member of the path cannot be longer than an address.
        .filter(({ shape }) => inAddress.has(name) || !path.includes(`{${shape.split(":")[0]}}`))
        .map(({ shape, at }) => ({
          ...{ target: name, shape },
          at: (size: Size) => {
            const { method, path: written, body } = writeRequest(name as OperationName, at(size));
            return { method, path: `/api${written}`, body };
          },
        }))
    );
  });
}

function toolCases({ name, inputSchema }: ListedTool): readonly GrowthCase[] {
  const declared = toolInputOf(name, inputSchema);
  if ("exempt" in declared) return [];
  return growInput(declared.base, inputSchema, declared).map(({ shape, at }) => ({
    ...{ target: name, shape },
    at: (size) => callTool(name, at(size)),
  }));
}

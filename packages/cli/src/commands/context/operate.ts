import type { Engine, Scope } from "@toolwright/engine";
import type { OperationName, OperationTypes } from "@toolwright/engine/operations";

/** Does an operation, wherever its engine is. */
export type Operate = <Name extends OperationName>(
  name: Name,
  input: OperationTypes[Name]["input"],
) => Promise<OperationTypes[Name]["output"]>;

/** Follows an operation until a signal, wherever its engine is. Rejects for what is refused, or ends so. */
export type Follow = (name: OperationName, input: unknown) => Promise<AsyncIterable<unknown>>;

/** Operations of the engine in this process, as the principal of the scope. */
export function operateAs({ principal, session }: Pick<Scope, "principal" | "session">, { engine }: { readonly engine: Engine }): Operate {
  return (name, input) => engine.operate(principal, name, input, { session });
}

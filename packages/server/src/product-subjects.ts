import { agentsSubjects } from "@toolwright/agents/subjects";
import { browserSubjects } from "@toolwright/browser/subjects";
import { checkOperationInput, joinSubjects, type SubjectIndex, type Subjects } from "@toolwright/engine/operations";

/** The subjects of the product beside those of the engine. */
export const productSubjects: readonly SubjectIndex[] = [agentsSubjects, browserSubjects];

let joined: Subjects | undefined;

/** Rejects with `invalid_input` for what does not fit an operation of the product, before anything is opened to do it. */
export function checkProductInput(name: string, input: unknown): Promise<void> {
  // A command checks each part of a file.
  joined ??= joinSubjects(productSubjects);
  return checkOperationInput(joined, name, input);
}

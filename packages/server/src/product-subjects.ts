import { agentsSubjects } from "@toolwright/agents/subjects";
import { browserSubjects } from "@toolwright/browser/subjects";
import { checkOperationInput, joinSubjects, type SubjectIndex } from "@toolwright/engine/operations";

/** The subjects of the product beside those of the engine. */
export const productSubjects: readonly SubjectIndex[] = [agentsSubjects, browserSubjects];

/** Rejects with `invalid_input` for what does not fit an operation of the product, before anything is opened to do it. */
export const checkProductInput = (name: string, input: unknown): Promise<void> =>
  checkOperationInput(joinSubjects(productSubjects), name, input);

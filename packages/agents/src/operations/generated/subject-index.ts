// Made by `npm run generate` from the subjects.
import type { SubjectIndex } from "@toolwright/engine/operations";
import type { PortsOf, TypesOf } from "@toolwright/engine/operation-types";
import type * as own from "../subjects.ts";

declare module "@toolwright/engine/operation-types" {
  interface OperationTypes extends TypesOf<typeof own> {}
  interface Administration extends PortsOf<typeof own> {}
}

/** The subjects of this package. */
export const agentsSubjects: SubjectIndex = {
  operations: [
    {"name":"models.list","subject":"models","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/models"},"needs":["models"]},
    {"name":"models.test","subject":"models","permission":"catalogue:manage","effect":"write","route":{"method":"POST","path":"/models/test"},"needs":["models"]},
  ],
  ports: {
    models: "models",
  },
  loaders: {
    models: async () => (await import("../models.ts")).modelsSubject,
  },
};

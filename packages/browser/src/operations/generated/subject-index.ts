// Made by `npm run generate` from the subjects.
import type { SubjectIndex } from "@toolwright/engine/operations";
import type { PortsOf, TypesOf } from "@toolwright/engine/operation-types";
import type * as own from "../subjects.ts";

declare module "@toolwright/engine/operation-types" {
  interface OperationTypes extends TypesOf<typeof own> {}
  interface Administration extends PortsOf<typeof own> {}
}

/** The subjects of this package. */
export const browserSubjects: SubjectIndex = {
  operations: [
    {"name":"browsers.list","subject":"browsers","effect":"read","route":{"method":"GET","path":"/browsers"},"needs":["browsers"]},
    {"name":"browsers.view","subject":"browsers","effect":"read","route":{"method":"GET","path":"/browsers/{session}/frame"},"needs":["browsers"]},
    {"name":"browsers.close","subject":"browsers","effect":"destructive","route":{"method":"DELETE","path":"/browsers/{session}"},"needs":["browsers"]},
  ],
  ports: {
    browsers: "browsers",
  },
  loaders: {
    browsers: async () => (await import("../browsers.ts")).browsersSubject,
  },
};

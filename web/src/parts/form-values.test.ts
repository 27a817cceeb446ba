import { expect, it } from "vitest";
import { RequestError } from "../api/client.ts";
import { faultsOf } from "./form-values.ts";

const fields = [
  { name: "role", label: "Name" },
  { name: "permissions", label: "Permissions" },
  { name: "steps", label: "Steps" },
];
const refusal = (issues?: readonly { readonly pointer: string; readonly message: string }[]) =>
  new RequestError("identity_refused", "The whole refusal.", { ...(issues && { issues }) });

it.each([
  ["beside the field", refusal([{ pointer: "/role", message: "No name." }]), { role: "No name." }],
  ["beside the field whose part it is about", refusal([{ pointer: "/permissions/1", message: "Not one." }]), { permissions: "Not one." }],
  ["beside the field of a member", refusal([{ pointer: "/limits/steps", message: "Too many." }]), { steps: "Too many." }],
  [
    "together where a field has two",
    refusal(["/permissions/0", "/permissions/2"].map((pointer) => ({ pointer, message: `Not ${pointer}.` }))),
    { permissions: "Not /permissions/0. Not /permissions/2." },
  ],
  ["below the form where it has no such field", refusal([{ pointer: "/user", message: "Leave it out." }]), { "": "Leave it out." }],
  ["below the form where it is about none", refusal(), { "": "The whole refusal." }],
])("a refusal stands %s", (_, error, expected) => {
  expect(Object.fromEntries(faultsOf(error, fields))).toEqual(expected);
});

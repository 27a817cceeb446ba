import { expect, test } from "vitest";
import { serviceNameIn } from "./start-sdk.ts";

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["the program's own name where the operator gives none", {}, "toolwright"],
  ["the operator's name", { OTEL_SERVICE_NAME: "shop" }, "shop"],
  ["the name among the operator's attributes", { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=prod, service.name=orders" }, "orders"],
  ["an attribute in percent-encoding", { OTEL_RESOURCE_ATTRIBUTES: "service.name=my%20orders" }, "my orders"],
  ["an attribute that is not", { OTEL_RESOURCE_ATTRIBUTES: "service.name=100%" }, "100%"],
  ["the operator's name above attributes", { OTEL_SERVICE_NAME: "shop", OTEL_RESOURCE_ATTRIBUTES: "service.name=orders" }, "shop"],
  ["attributes beside an empty name", { OTEL_SERVICE_NAME: "", OTEL_RESOURCE_ATTRIBUTES: "service.name=orders" }, "orders"],
  ["the program's own name beside other attributes", { OTEL_RESOURCE_ATTRIBUTES: "service.namespace=a,service.name=,b" }, "toolwright"],
])("the service is called by %s", (_name, env, expected) => {
  expect(serviceNameIn(env)).toBe(expected);
});

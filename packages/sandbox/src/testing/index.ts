export { allowed, createCallSite, type TestCallSite } from "./call-site.ts";
export { type ConformanceCase, type DriverFixture, type DriverGaps, driverConformance } from "./driver-conformance.ts";
export { judgePathCase, type PathCase, type PathJudging, type PathVerdict } from "./path-corpus.ts";
export type { PathStep } from "./path-stage.ts";
export { openScriptedWeb, type ReceivedRequest, type ScriptedRedirect, type ScriptedWeb } from "./scripted-web.ts";
export { judgeUrlCase, type UrlCase, type UrlVerdict } from "./ssrf-corpus.ts";
export { testIdentity } from "./test-identity.ts";

import { acceptedContent, type GetPromptResult, inputRequired } from "@modelcontextprotocol/server";
import type { McpPrompts, PromptRequest } from "@toolwright/doors/mcp";
import { listChanges } from "./changes.ts";
import { png } from "./samples.ts";

type Content = GetPromptResult["messages"][number]["content"];
type Write = (request: PromptRequest) => Awaited<ReturnType<McpPrompts["get"]>>;

const says = (...contents: Content[]): GetPromptResult => ({ messages: contents.map((content) => ({ role: "user", content })) });
const text = (words: string): Content => ({ type: "text", text: words });

const prompts: Record<
  string,
  { description: string; arguments?: { name: string; description: string; required: boolean }[]; write: Write }
> = {
  test_simple_prompt: { description: "A prompt without arguments.", write: () => says(text("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    description: "A prompt with two arguments.",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    write: ({ arguments: { arg1, arg2 } }) => says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    description: "A prompt that embeds a resource.",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    write: ({ arguments: { resourceUri = "" } }) =>
      says(
        { type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." } },
        text("Please process the embedded resource above."),
      ),
  },
  test_prompt_with_image: {
    description: "A prompt with an image.",
    write: () => says({ type: "image", data: png, mimeType: "image/png" }, text("Please analyze the image above.")),
  },
  test_input_required_result_prompt: {
    description: "A prompt that asks the person at the client first.",
    write({ inputResponses }) {
      const answer = acceptedContent(inputResponses, "user_context");
      if (answer) return says(text(`Context: ${answer.context}`));
      const requestedSchema = { type: "object" as const, properties: { context: { type: "string" as const } }, required: ["context"] };
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message: "What context should the prompt use?", requestedSchema }) },
      });
    },
  },
};

export const fixturePrompts: McpPrompts = {
  list: async () => Object.entries(prompts).map(([name, { write, ...prompt }]) => ({ name, ...prompt })),
  get: async (request) => (Object.hasOwn(prompts, request.name) ? prompts[request.name]?.write(request) : undefined),
  onListChanged(listener) {
    const onChange = (list: unknown) => {
      if (list === "prompts") listener();
    };
    listChanges.subscribe(onChange);
    return () => listChanges.unsubscribe(onChange);
  },
};

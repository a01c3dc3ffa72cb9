// A host that is to the extension what pi is: it loads it, fires the events of a
// session, runs the commands, and prints what came of each as a line of JSON.
import extension from "./mem.mjs";

const handlers = {};
const commands = {};
const entries = [];
let file = "s.jsonl";
extension({
  on: (event, handler) => (handlers[event] = handler),
  registerCommand: (name, options) => (commands[name] = options.handler),
  appendEntry: (customType, data) => {
    print("entry", data.choice ? [customType, data.choice] : customType);
    entries.push({ type: "custom", customType, data });
  },
});
const copy = {}; // as if it was installed for all projects too
extension({ on: (event, handler) => (copy[event] = handler), registerCommand: () => {} });
const print = (what, value) => console.log(JSON.stringify([what, value ?? null]));
const ctx = {
  cwd: process.cwd(),
  model: { provider: "zai", id: "glm-4.6" },
  modelRegistry: { getAvailable: () => [{ provider: "google", id: "gemini-2.5-flash" }] },
  ui: { notify: (text, level) => print(`notify ${level}`, text) },
  sessionManager: { getSessionId: () => "p1", getSessionFile: () => file, getBranch: () => entries },
};
const prompt = async (text) => {
  const result = await handlers.before_agent_start({ prompt: text }, ctx);
  print(`prompt ${text}`, result?.message);
  const again = await copy.before_agent_start({ prompt: text }, ctx);
  if (again) print("told twice", again);
  entries.push({ type: "message", id: text });
  if (result?.message) entries.push({ type: "custom_message", id: `${text} mem`, ...result.message });
};

print("events", Object.keys(handlers).sort());
print("commands", Object.keys(commands).sort());
await commands["learning-now"]("", ctx);
await prompt("one");
await prompt("two");
entries.push({ type: "compaction", firstKeptEntryId: "two" }); // what mem said is gone
await prompt("three");
entries.push({ type: "compaction", firstKeptEntryId: "three" }); // it is not
await prompt("four");
entries.push({ type: "compaction", retainedTail: [{ role: "custom", customType: "mem" }] });
await prompt("five");
const tool = async (isError) => {
  const content = [{ type: "text", text: "no such file" }, { type: "image" }];
  const result = await handlers.tool_result({ toolName: "bash", input: { command: "make" }, content, isError }, ctx);
  print(`tool ${isError}`, result?.content.slice(2));
};
await tool(false);
await tool(true);
await tool(false);
handlers.agent_end({ messages: [] }, ctx);
handlers.session_shutdown({}, ctx);
for (const [name, args] of [
  ["learning-now", ""], ["learning-now", " --oracle  heuristic "], ["learning-month", "2026-01"], ["learning-redistill", "20 --dry-run"],
  ["learning-daily", ""], ["learning-status", ""], ["learning-toggle", ""], ["learning-toggle", "off"],
  ["learning-model", "openai/qwen3:8b"], ["learning-status", undefined], ["learning-model", "reset"], ["learning-model-global", "show"],
  ["learning-model-global", "anthropic/x/y"], ["learning-model-global", "reset"],
  ["learning-model", "google/gemini-2.5-flash"], ["learning-status", ""], ["learning-model", "google/nothing"], ["learning-model", "nonsense"],
  ["learning-model", "command/vim"], ["learning-status", ""], ["learning-model-global", "google/gemini-2.5-flash"], ["learning-model", "reset"],
]) {
  await commands[name](args, ctx);
}
file = undefined;
handlers.agent_end({ messages: [] }, ctx);
await commands["learning-now"]("", ctx);
ctx.sessionManager = undefined; // another pi
ctx.hasUI = false; // pi -p
await prompt("six");
handlers.agent_end({ messages: [] }, ctx);
await commands["learning-toggle"]("", ctx);
print("end");

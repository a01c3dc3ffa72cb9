// Written by "mem hook install opencode"; "mem hook uninstall opencode" takes it away again.
// What is read and what is learned is decided by mem; this only calls it.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patience = 2000; // ms that opencode waits

export const Mem = async ({ client, directory }) => {
  const anew = new Set(); // sessions that were compacted
  const broke = new Set(); // sessions in which a command failed: one that works may have been cured
  let failed = 0; // times in a row that something waited in vain; it does not for ever
  const options = { cwd: directory, timeout: patience, killSignal: "SIGKILL", windowsHide: true };
  const says = (event, session, more) => JSON.stringify({ hook_event_name: event, session_id: session, cwd: directory, ...more });

  // What the person is to see is a line of its own on mem's standard error.
  const show = (err) => {
    const message = err.split("\n").find((text) => text.startsWith("mem ▸ "));
    if (message) client.tui?.showToast({ body: { message, variant: "info" } })?.catch?.(() => {});
  };

  // Runs a hook and never fails, whatever mem does.
  const hook = (event, session, more) =>
    new Promise((resolve) => {
      if (process.env.MEM_CHILD || failed === 3) return resolve("");
      const timer = setTimeout(() => done(true, "", ""), patience + 200);
      const done = (error, out, err) => {
        clearTimeout(timer);
        failed = error ? failed + 1 : 0;
        if (!error) show(err);
        resolve(error ? "" : out.trim());
      };
      try {
        const child = execFile("mem", ["hook", "opencode"], options, done);
        child.stdin.on("error", () => {});
        child.stdin.end(says(event, session, more));
      } catch (error) {
        done(error, "", "");
      }
    });

  // opencode keeps sessions in a database: what mem reads is a copy, in the form of 'opencode export'. Nothing
  // of it may be left behind, and 'opencode run' ends when the session rests.
  const rest = async (id) => {
    const [{ data: info }, { data: messages }] = await Promise.all([client.session.get({ path: { id } }), client.session.messages({ path: { id } })]);
    if (!info || !messages || info.parentID || process.env.MEM_CHILD) return;
    const folder = mkdtempSync(join(tmpdir(), "mem-"));
    try {
      const file = join(folder, "session.json");
      writeFileSync(file, JSON.stringify({ info, messages }), { mode: 0o600 });
      execFileSync("mem", ["hook", "opencode"], { ...options, input: says("agent_end", id, { session_file: file }), stdio: ["pipe", "ignore", "ignore"] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  // If f, which is async, fails, the session goes on without.
  const quietly = (f) => (...args) => f(...args).catch(() => {});

  return {
    event: quietly(async ({ event: { type, properties } }) => {
      if (type === "session.compacted") anew.add(properties.sessionID);
      if (type === "session.idle") await rest(properties.sessionID);
    }),
    "chat.message": quietly(async ({ sessionID }, { message, parts }) => {
      const said = parts.filter(({ type, synthetic }) => type === "text" && !synthetic);
      const prompt = said.map(({ text }) => text).join("\n");
      const text = await hook("before_agent_start", sessionID, { prompt, source: anew.delete(sessionID) ? "compact" : "" });
      // Parts are in the order of their ids.
      if (text) parts.push({ id: `${parts.at(-1).id}m`, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    }),
    // What failed may be known, and what works then may be worth a note. The words of mem stand behind those of the tool.
    "tool.execute.after": quietly(async ({ tool, sessionID, args }, result) => {
      const exit = result?.metadata?.exit;
      if (!exit && !(exit === 0 && broke.has(sessionID))) return;
      broke.add(sessionID);
      const call = { tool_name: tool, tool_input: args, tool_response: result.output, is_error: exit !== 0 };
      const text = await hook("tool_result", sessionID, call);
      if (text) result.output += `\n${text}`;
    }),
  };
};

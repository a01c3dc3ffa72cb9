// Written by "mem hook install pi"; "mem hook uninstall pi" takes it away again.
// What is read and what is learned is decided by mem; this only calls it.
import { execFile, spawn } from "node:child_process";

const forLessons = 2000; // ms that a prompt waits for what it should read
const forCommands = 15 * 60 * 1000; // ms that a command may take
const oracles = ["command", "anthropic", "openai", "heuristic"]; // of mem

export default function (pi) {
  let failed = 0; // times in a row that a prompt waited in vain; it does not for ever
  let hinted = 0; // times in a row that a failed tool waited in vain
  let broke = false; // a command failed, so that mem may know what one that works has cured

  // What /learning-model chose on this branch of the session, as [oracle, model].
  const choice = (ctx) => ctx.sessionManager.getBranch().findLast(({ customType }) => customType === "mem-model")?.data?.choice;
  // What mem is told of a choice. The model of the session is asked if no other can be.
  const environ = (ctx, [name, model] = choice(ctx) ?? []) => {
    const env = { ...process.env };
    if (ctx.model) env.MEM_ORACLE_SESSION_MODEL ||= `${ctx.model.provider}/${ctx.model.id}`;
    if (!oracles.includes(name)) return env;
    env.MEM_ORACLE_ORDER = `lessons,${name}`;
    const [preset, ...rest] = (model || "").split("/");
    if (!model) return env;
    if (name === "command") return { ...env, MEM_ORACLE_COMMAND_PRESET: preset, MEM_ORACLE_COMMAND_MODEL: rest.join("/") };
    return { ...env, [`MEM_ORACLE_${name.toUpperCase()}_MODEL`]: model };
  };

  // What a hook of pi says.
  const says = (event, ctx, more = {}) =>
    JSON.stringify({
      hook_event_name: event,
      session_id: ctx.sessionManager.getSessionId(),
      session_file: ctx.sessionManager.getSessionFile(),
      cwd: ctx.cwd,
      ...more,
    });

  // Runs mem and never fails, whatever mem does.
  const run = (args, ctx, input, patience, env) =>
    new Promise((resolve) => {
      const late = { ok: false, out: "", err: "mem took too long" };
      const timer = setTimeout(() => resolve(late), patience + 200);
      const done = (result) => {
        clearTimeout(timer);
        resolve(result);
      };
      try {
        const options = { cwd: ctx.cwd, env: env ?? environ(ctx), timeout: patience, killSignal: "SIGKILL", maxBuffer: 1 << 24, windowsHide: true };
        const child = execFile("mem", args, options, (error, out, err) => {
          const missing = error && error.code === "ENOENT";
          done(error && error.killed ? late : { ok: !error, out, err: missing ? "mem was not found on the PATH" : err });
        });
        child.stdin.on("error", () => {});
        child.stdin.end(input);
      } catch (error) {
        done({ ok: false, out: "", err: String(error) });
      }
    });

  // What the person is to see is a line of its own on mem's standard error.
  const show = (err, ctx) => {
    const line = err.split("\n").find((text) => text.startsWith("mem ▸ "));
    if (line && ctx.hasUI !== false) ctx.ui.notify(line, "info");
  };

  // Whether the conversation holds what mem said: not if it was compacted away.
  const told = (ctx) => {
    const branch = ctx.sessionManager.getBranch();
    const last = branch.findLastIndex((entry) => entry.type === "compaction");
    const { firstKeptEntryId, retainedTail } = branch[last] ?? {}; // versions of pi keep the end in either
    const kept = branch.findIndex((entry) => entry.id && entry.id === firstKeptEntryId);
    const isOurs = ({ customType }) => customType === "mem";
    const entries = branch.slice(kept < 0 ? last + 1 : kept).filter(({ type }) => type === "custom_message");
    return entries.some(isOurs) || (retainedTail ?? []).some(isOurs);
  };

  // Whether another copy of this, for all projects or for this one, is asked to
  // the same prompt.
  const twice = (ctx) => {
    const all = (globalThis[Symbol.for("mem.pi")] ??= {});
    const prompt = `${ctx.sessionManager.getSessionId()} ${ctx.sessionManager.getBranch().length}`;
    const asked = all.prompt === prompt && Date.now() - all.at < 10_000;
    if (!asked) Object.assign(all, { prompt, at: Date.now() });
    return asked;
  };

  // Calls f, which is async, where pi says so. If f fails the session goes on without.
  const on = (event, f) => pi.on(event, (...args) => f(...args).catch(() => {}));

  on("before_agent_start", async (event, ctx) => {
    if (ctx.hasUI === false) pi.appendEntry?.("mem-headless", {}); // pi -p: no person is there
    if (process.env.MEM_CHILD || failed === 3 || twice(ctx)) return;
    const has = told(ctx);
    const input = says("before_agent_start", ctx, { prompt: event.prompt, source: has ? "told" : "clear" });
    const { ok, out, err } = await run(["hook", "pi"], ctx, input, forLessons);
    failed = ok ? 0 : failed + 1;
    if (ok) show(err, ctx);
    if (ok && out.trim()) return { message: { customType: has ? "mem-reminder" : "mem", content: out, display: false } };
  });

  // What failed may be known, and what works then may be worth a note. The words of mem stand behind those of the tool.
  on("tool_result", async (event, ctx) => {
    const isCommand = event.toolName === "bash";
    if (!(event.isError || (broke && isCommand)) || process.env.MEM_CHILD || hinted === 3) return;
    if (isCommand) broke = true;
    const output = event.content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
    const call = { tool_name: event.toolName, tool_input: event.input, tool_response: output, is_error: event.isError };
    const { ok, out, err } = await run(["hook", "pi"], ctx, says("tool_result", ctx, call), forLessons);
    hinted = ok ? 0 : hinted + 1;
    if (ok) show(err, ctx);
    if (ok && out.trim()) return { content: [...event.content, { type: "text", text: out }] };
  });

  // The session is read by a process that goes on when pi ends.
  for (const event of ["agent_end", "session_before_compact", "session_shutdown"]) {
    on(event, async (_event, ctx) => {
      if (process.env.MEM_CHILD || !ctx.sessionManager.getSessionFile()) return;
      const options = { cwd: ctx.cwd, env: environ(ctx), detached: true, stdio: "ignore", windowsHide: true };
      const child = spawn("mem", ["hook", "pi", says(event, ctx)], options);
      child.on("error", () => {});
      child.unref();
    });
  }

  // The commands of pi-self-learning. call returns the arguments for mem, and perhaps the
  // environment and what is to be done if it ran well.
  const command = (name, description, call) =>
    pi.registerCommand(name, {
      description,
      handler: async (line, ctx) => {
        try {
          const { args, env, after } = await call((line || "").trim().split(/\s+/).filter(Boolean), ctx);
          const { ok, out, err } = await run(args, ctx, "", forCommands, env);
          if (ok && after) after();
          ctx.ui.notify([out.trim(), err.trim()].filter(Boolean).join("\n") || "done", ok ? "info" : "error");
        } catch (error) {
          ctx.ui.notify(String(error && error.message ? error.message : error), "error");
        }
      },
    });

  const session = (ctx) => {
    const file = ctx.sessionManager.getSessionFile();
    if (!file) throw new Error("this session is kept in no file");
    if (!ctx.sessionManager.getBranch().some(({ type }) => type === "message")) throw new Error("nothing to learn: there are no messages yet");
    return file;
  };
  // "google/gemini-2.5-flash" is a model of pi, asked through pi, if pi can use it; else
  // "openai/qwen3:8b" is the oracle openai with the model qwen3:8b.
  const oracle = async (text, ctx) => {
    const usable = (await ctx.modelRegistry?.getAvailable?.()) ?? [];
    if (usable.some(({ provider, id }) => `${provider}/${id}` === text)) return ["command", `pi/${text}`];
    const [name, ...rest] = text.split("/");
    const model = rest.join("/");
    if (!oracles.includes(name) || (name === "heuristic" && model)) {
      throw new Error(`${text} is not a model that pi can use, nor one of ${oracles.join(", ")}; nothing was changed`);
    }
    return model ? [name, model] : [name];
  };

  command("learning-now", "Learn from this session now", (args, ctx) => ({ args: ["reflect", session(ctx), "--label", "manual", ...args] }));
  command("learning-month", "Summarise a month: [YYYY-MM]", (args) => ({ args: ["month", ...args] }));
  command("learning-redistill", "Reword lessons: [N] [--dry-run] [--yes]", (args) => ({ args: ["redistill", ...args] }));
  command("learning-daily", "Show the journal of a day: [YYYY-MM-DD]", (args) => ({ args: ["daily", ...args] }));
  command("learning-status", "Show the state of the memory", (_args, ctx) => ({ args: ["status", `--session=${ctx.sessionManager.getSessionId()}`] }));
  command("learning-toggle", "Switch learning off or on for this session: [on|off]", (args, ctx) => ({
    args: ["toggle", ...args, `--session=${ctx.sessionManager.getSessionId()}`],
  }));
  command("learning-model", "Show who is asked, or choose for this session: [PROVIDER/ID|ORACLE[/MODEL]|reset]", async ([text], ctx) => {
    if (!text) return { args: ["model"] };
    const choice = text === "reset" ? [] : await oracle(text, ctx);
    return { args: ["model"], env: environ(ctx, choice), after: () => pi.appendEntry("mem-model", { choice }) };
  });
  command("learning-model-global", "Show who is asked, or choose for all: [show|PROVIDER/ID|ORACLE[/MODEL]|reset]", async ([text], ctx) => {
    if (!text || text === "show") return { args: ["model"] };
    return { args: ["model", "set", ...(text === "reset" ? ["default"] : await oracle(text, ctx)), "--global"] };
  });
}

#!/usr/bin/env node
// Runs the program of the package for this machine, which npm installed beside this one.
const { accessSync, constants } = require("node:fs");
const { spawn } = require("node:child_process");

const file = process.platform === "win32" ? "mem.exe" : "mem";
let program;
try {
  program = require.resolve(`{{NPM_NAME}}-${process.platform}-${process.arch}/${file}`);
  accessSync(program, constants.X_OK);
} catch {
  console.error(`mem: there is no program for ${process.platform} ${process.arch}; was npm told to omit optional packages?`);
  process.exit(1);
}

const args = process.argv.slice(2);
// Newer versions of Node become the program; older ones wait for it, and end as it does.
if (process.execve && process.platform !== "win32") process.execve(program, ["mem", ...args], process.env);
const child = spawn(program, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // What a terminal sends for Ctrl-C, it sends to both.
  process.on(signal, () => signal === "SIGINT" && process.stdin.isTTY || child.kill(signal));
}
child.on("error", (err) => {
  console.error(`mem: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

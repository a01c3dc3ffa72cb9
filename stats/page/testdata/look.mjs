// Takes pictures of a page of mem report, and fails if it logs an error, asks for a file,
// is wider than the window, or if axe finds something. See look.sh.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(process.cwd() + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [page, out, browserPath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
let faults = 0;
const fault = (...what) => { faults++; console.log("FAULT", ...what); };
for (const [width, height] of [[1280, 900], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const javaScriptEnabled of [true, false]) {
      const name = `${width}-${colorScheme}${javaScriptEnabled ? "" : "-noscript"}`;
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled, bypassCSP: false });
      const tab = await context.newPage();
      tab.on("console", (m) => ["error", "warning"].includes(m.type()) && fault(name, m.text()));
      tab.on("pageerror", (e) => fault(name, e));
      tab.on("request", (r) => r.url() !== "file://" + page && fault(name, "asked for", r.url()));
      const began = Date.now();
      await tab.goto("file://" + page);
      const loaded = Date.now() - began;
      await tab.screenshot({ path: `${out}-${name}.png`, fullPage: javaScriptEnabled });
      if (!javaScriptEnabled) { await context.close(); continue; }
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) fault(name, "is too wide by", wide);
      const shown = () => tab.locator("#list > li:visible").count();
      const all = await shown(), search = tab.locator("input[type=search]");
      if (all > 0) {
        await search.fill((await tab.locator("#list > li small code").first().textContent()));
        console.log(name, "loaded in", loaded, "ms; lessons shown", all, "of which found by words", await shown());
        await search.fill("");
      }
      await tab.evaluate(() => { for (const d of [...document.querySelectorAll("#list details")].slice(0, 3)) d.open = true; document.getElementById("lessons")?.scrollIntoView(); });
      await tab.screenshot({ path: `${out}-${name}-open.png` });
      await tab.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });
      await tab.evaluate(axe); // through the debugger, which the policy of the page does not forbid
      const found = await tab.evaluate(() => axe.run());
      for (const v of found.violations) fault(name, v.id, v.help, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary);
      console.log(name, "axe:", found.passes.length, "rules passed,", found.violations.length, "violated,", found.incomplete.map((v) => v.id).join(" ") || "none", "undecided");
      if (colorScheme === "light" && width > 1000) await tab.pdf({ path: `${out}.pdf` });
      await context.close();
    }
  }
}
await browser.close();
process.exit(faults ? 1 : 0);

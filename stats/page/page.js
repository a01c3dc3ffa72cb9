"use strict";
(() => {
  const tip = document.body.dataset.tip; // of a page that is served: it is loaded again once the memory changed
  if (tip) {
    setInterval(async () => {
      const now = document.hidden ? tip : await fetch("tip").then((r) => r.ok ? r.text() : tip, () => tip);
      if (now !== tip) location.reload();
    }, 2000);
  }
  const form = document.querySelector(".filters"), list = document.getElementById("list");
  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("main > section > details, .rule details")) d.open = true; });
  if (!form || !list) return;
  const all = [...list.children].map((li, place) => ({
    li, place, words: li.textContent.toLowerCase(),
    hits: Number((li.querySelector("small b")?.textContent ?? "1").replace(/\D/g, "")), seen: li.querySelector("time").textContent,
  }));
  const orders = { "": () => 0, seen: (a, b) => a.seen < b.seen ? 1 : a.seen > b.seen ? -1 : 0, hits: (a, b) => b.hits - a.hits };
  let ordered = "";
  const show = () => {
    const want = form.elements, words = want.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (want.order.value !== ordered) {
      ordered = want.order.value;
      all.sort((a, b) => orders[ordered](a, b) || a.place - b.place);
      list.append(...all.map((e) => e.li));
    }
    for (const e of all) e.li.hidden = !words.every((w) => e.words.includes(w));
    const shown = all.filter((e) => !e.li.hidden).length.toLocaleString("en");
    form.querySelector("output").textContent = `${shown} of ${all.length.toLocaleString("en")} lessons`;
  };
  const find = () => {
    const li = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!li || li.parentNode !== list) return;
    if (li.hidden) {
      form.reset();
      show();
    }
    li.querySelector("details")?.setAttribute("open", "");
    li.scrollIntoView();
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (e) => e.preventDefault());
  addEventListener("hashchange", find);
  form.hidden = false;
  show();
  if (tip) {
    addEventListener("pagehide", () => sessionStorage.setItem("open", [...list.querySelectorAll("details[open]")].map((d) => d.parentNode.id).join(" ")));
    for (const id of (sessionStorage.getItem("open") ?? "").split(" ").filter(Boolean)) document.getElementById(id)?.querySelector("details")?.setAttribute("open", "");
  }
  find();
})();

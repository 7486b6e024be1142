// Keys, the card in hand, sliders that count days, and where the focus goes after a swap. Everything works without it.
(() => {
  "use strict";
  const KEYS_OFF = "stilltrue-keys-off";
  const DAY = 86400000;
  let current = -1;
  let acted = null; // where the person stood when a form was sent, and which cards there were
  let path = location.pathname;

  document.documentElement.classList.add("js");

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const cards = () => all("[data-card]");
  const typing = (element) => element.closest("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]") !== null;

  const keysOff = () => {
    try { return localStorage.getItem(KEYS_OFF) === "1"; } catch { return false; }
  };

  function take(index) {
    const held = cards();
    if (held.length === 0) { current = -1; return; }
    current = Math.max(0, Math.min(index, held.length - 1));
    held.forEach((card, place) => card.classList.toggle("in-hand", place === current));
    held[current].focus({ preventScroll: true });
    held[current].scrollIntoView({ block: "nearest" });
  }

  function inHand() {
    const held = cards();
    return held[Math.max(0, Math.min(current, held.length - 1))] || null;
  }

  function press(key) {
    const wanted = `[data-key="${CSS.escape(key)}"]`;
    const card = inHand();
    const button = (card && card.querySelector(wanted)) || all(wanted).find((one) => !one.closest("[data-card]"));
    if (!button) return false;
    const same = button.dataset.all && card ? all(button.dataset.all, card) : [button];
    same.forEach((one) => one.click());
    return true;
  }

  function move(step) {
    take(current < 0 ? 0 : current + step);
    return cards().length > 0;
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const open = event.target.closest("details[open]") || inHand()?.querySelector(".answers details[open]");
      if (open && !document.querySelector("dialog[open]")) {
        open.open = false;
        (open.closest("[data-card]") || open.querySelector("summary")).focus();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (keysOff() || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    let done = false;
    if (key === "j") done = move(1);
    else if (key === "k") done = move(-1);
    else if (key === "/") {
      const field = document.querySelector("[data-search]");
      if (field) field.focus();
      else document.querySelector('nav a[href^="/search"]')?.click();
      done = true;
    } else if (event.key.length === 1) done = press(key);
    if (done) event.preventDefault();
  });

  document.addEventListener("focusin", (event) => {
    const card = event.target.closest("[data-card]");
    if (!card) return;
    current = cards().indexOf(card);
    cards().forEach((one) => one.classList.toggle("in-hand", one === card));
  });

  document.addEventListener("toggle", (event) => {
    const field = event.target.open && event.target.closest(".answers, .acts") && event.target.querySelector("input:not([type=hidden]), textarea, button");
    if (field) field.focus();
  }, true);

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) document.getElementById(opener.dataset.opens).showModal();
  });

  document.addEventListener("input", (event) => {
    const name = event.target.dataset.daysFor;
    if (!name) return;
    const day = new Date(Number(event.target.value) * DAY).toISOString().slice(0, 10);
    document.getElementById(name).value = day;
    event.target.setAttribute("aria-valuetext", day);
  });

  document.addEventListener("change", (event) => {
    if (event.target.id === "keys-on") {
      try { localStorage.setItem(KEYS_OFF, event.target.checked ? "0" : "1"); } catch { /* then they stay on */ }
    }
    if (event.target.dataset.submits !== undefined || event.target.dataset.daysFor) event.target.form.requestSubmit();
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    const sent = event.target.closest("form[method=post]") !== null;
    acted = sent ? { place: current, names: new Set(cards().map((card) => card.id)) } : null;
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "page" && !document.getElementById("page")?.contains(event.target)) return;
    if (location.pathname !== path || !acted) {
      const moved = location.pathname !== path;
      path = location.pathname;
      if (moved) {
        current = -1;
        window.scrollTo(0, 0);
        document.querySelector("#main h1")?.focus({ preventScroll: true });
      }
      return;
    }
    const { place, names } = acted;
    acted = null;
    const back = names.size > 0 ? cards().findIndex((card) => !names.has(card.id)) : -1;
    if (cards().length > 0 && (back >= 0 || place >= 0)) take(back >= 0 ? back : place);
    else document.querySelector("#main h1")?.focus({ preventScroll: true });
  });

  const on = document.getElementById("keys-on");
  if (on) on.checked = !keysOff();
})();

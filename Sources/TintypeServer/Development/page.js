"use strict";
// The page of tintype-server for development. Everything that it shows is set as text, never as markup.
const $ = (id) => document.getElementById(id);
const options = ["rt", "w", "h", "el", "g", "rot", "bl", "sh", "q"];
const fields = ["source", ...options, "format", "more"];
const isSigned = document.body.dataset.signed === "true";
const results = [];
let running, timer, address, currentFacts;

function value(id) {
  const field = $(id);
  if (field.type === "checkbox") return field.checked ? "1" : "";
  return field.type === "range" && Number(field.value) === 0 ? "" : field.value.trim();
}

// The path that is signed: the options, and the source with the characters escaped that have a meaning in it.
function imagePath() {
  const source = value("source").replace(/[%?@#\s"<>\\^`{|}]|[^\x21-\x7e]/gu, encodeURIComponent);
  if (!source) return "";
  const parts = options.filter((name) => value(name)).map((name) => `${name}:${value(name)}`);
  const more = value("more").split("/").filter(Boolean);
  const format = value("format");
  return `/${[...parts, ...more, "plain", source].join("/")}${format ? `@${format}` : ""}`;
}

function bytes(text) {
  if (!/^([0-9a-f]{2})+$/i.test(text)) throw new Error("Enter the key and the salt in hexadecimal.");
  return Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
}

async function signature(path) {
  if (!isSigned) return "unsigned";
  if (!crypto.subtle) throw new Error("Browsers sign only on https: pages and on localhost.");
  const [key, salt] = [bytes($("key").value.trim()), bytes($("salt").value.trim())];
  const signer = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const message = new Uint8Array([...salt, ...new TextEncoder().encode(path)]);
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", signer, message));
  return btoa(String.fromCharCode(...digest)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function size(count) {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1e6).toFixed(2)} MB`;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function showFacts(facts) {
  $("facts").replaceChildren(...Object.entries(facts).map(([name, text]) => {
    const card = document.createElement("div");
    card.append(element("dt", name), element("dd", text));
    return card;
  }));
}

function showHistory() {
  $("history").hidden = results.length < 2;
  $("history").tBodies[0].replaceChildren(...results.slice(0, 8).map((facts) => {
    const row = document.createElement("tr");
    row.append(...[facts.options, facts.Size, facts.Bytes, facts.Time, facts.From].map((text) => element("td", text)));
    return row;
  }));
}

function showProblem(text) {
  $("problem").textContent = text;
  $("problem").hidden = !text;
  if (!text) return;
  $("result").hidden = true;
  $("hint").hidden = false;
  $("hint").textContent = "There is no image.";
  $("facts").replaceChildren();
  currentFacts = undefined;
}

// The metrics of a Server-Timing field: their durations and descriptions.
function timings(response) {
  const metrics = {};
  for (const part of (response.headers.get("Server-Timing") || "").split(", ")) {
    const [name, parameter] = part.split(";");
    if (parameter) metrics[name] = parameter.replace(/^(dur|desc)=/, "").replace(/"/g, "");
  }
  return metrics;
}

async function show(response, elapsed, path) {
  const blob = await response.blob();
  if (!response.ok) {
    let text = `Status ${response.status}`;
    try {
      const problem = JSON.parse(await blob.text());
      text += `: ${problem.detail || problem.title || problem.code}`;
    } catch { /* The body is no JSON. */ }
    return showProblem(text);
  }
  const image = $("result");
  const former = image.src;
  const isShown = await new Promise((done) => {
    image.onload = () => done(true);
    image.onerror = () => done(false);
    image.src = URL.createObjectURL(blob);
  });
  if (former) URL.revokeObjectURL(former);
  const metrics = timings(response);
  const facts = {
    Size: isShown ? `${image.naturalWidth} × ${image.naturalHeight}` : "–",
    Bytes: size(blob.size), Format: blob.type.replace("image/", "").replace("+xml", ""),
    Time: `${elapsed.toFixed(0)} ms`, From: metrics.from || "–",
  };
  for (const [name, label] of [["download", "Download"], ["decode", "Decode"], ["encode", "Encode"]]) {
    if (metrics[name]) facts[label] = `${Number(metrics[name]).toFixed(0)} ms`;
  }
  for (const [field, label] of [["Tintype-Frames", "Frames"], ["Tintype-Lost", "Lost"]]) {
    if (response.headers.get(field)) facts[label] = response.headers.get(field);
  }
  showProblem("");
  image.hidden = !isShown;
  $("hint").hidden = isShown;
  $("hint").textContent = "This browser does not show the format.";
  showFacts(facts);
  const tail = value("format") ? `@${value("format")}` : "";
  if (currentFacts) results.unshift(currentFacts);
  currentFacts = { ...facts, options: path.slice(1, path.indexOf("plain/")).replace(/\/$/, "") + tail || "–" };
  showHistory();
}

async function load() {
  running?.abort();
  const request = running = new AbortController();
  const path = imagePath();
  $("quality").textContent = value("q") || "default";
  remember();
  if (!path) return;
  $("stage").classList.add("busy");
  try {
    address = `${document.body.dataset.prefix}/${await signature(path)}${path}`;
    $("url").textContent = address;
    $("copy").disabled = false;
    const start = performance.now();
    const response = await fetch(address, { signal: request.signal, cache: "no-store" });
    await show(response, performance.now() - start, path);
  } catch (error) {
    if (error.name !== "AbortError") showProblem(error.message);
  }
  if (request === running) $("stage").classList.remove("busy");
}

// The form is in the fragment, so that a link has it. The key is not.
function remember() {
  const state = new URLSearchParams(fields.map((name) => [name, value(name)]).filter(([, text]) => text));
  history.replaceState(null, "", state.size ? `#${state}` : location.pathname);
}

function restore() {
  for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
    if (!fields.includes(name)) continue;
    if ($(name).type === "checkbox") $(name).checked = text === "1";
    else $(name).value = text;
  }
}

function schedule() {
  $("quality").textContent = value("q") || "default";
  clearTimeout(timer);
  timer = setTimeout(load, 250);
}

$("copy").disabled = true;
$("signature").hidden = !isSigned;
$("signature").open = isSigned;
$("form").addEventListener("input", schedule);
$("form").addEventListener("submit", (event) => { event.preventDefault(); load(); });
$("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(new URL(address, location.href).href);
  $("copy").textContent = "Copied";
  setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
});
restore();
load();

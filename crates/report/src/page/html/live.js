"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const POINTS = 120, MESSAGES = 50;
  const byId = (id) => document.getElementById(id);
  const rows = new Map();
  const unknown = "–";

  const count = (n) => Math.round(n).toLocaleString("en-US");
  const digits = (n) => n >= 100 ? count(n) : n.toPrecision(3);
  const rate = (n) => n === null ? unknown : digits(n) + "/s";
  const time = (s) => {
    if (s === null) return unknown;
    for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]]) {
      if (s >= size) return digits(s / size) + " " + unit;
    }
    return digits(s / 1e-9) + " ns";
  };
  const span = (s) => {
    const all = Math.max(0, Math.round(s));
    const hours = Math.floor(all / 3600), minutes = Math.floor(all / 60) % 60, seconds = all % 60;
    return (hours ? hours + "h" : "") + (hours || minutes ? minutes + "m" : "") + seconds + "s";
  };

  // On a phone, each row is a card, in which each cell has the head of its column.
  const heads = [...document.querySelectorAll("thead th")].map((head) => head.textContent);

  const cell = (line, tag, numeric) => {
    const made = document.createElement(tag);
    if (tag === "th") made.scope = "row";
    made.setAttribute("role", tag === "th" ? "rowheader" : "cell");
    made.dataset.h = heads[line.childElementCount];
    if (numeric) made.className = "n";
    line.append(made);
    return made;
  };

  const row = (workload, target) => {
    const key = JSON.stringify([workload, target]);
    if (!rows.has(key)) {
      const line = document.createElement("tr");
      line.setAttribute("role", "row");
      cell(line, "th").textContent = workload;
      cell(line, "th").textContent = target;
      const made = { line, course: [] };
      for (const name of ["rate", "p50", "p99", "failed", "cpu"]) made[name] = cell(line, "td", true);
      const drawing = document.createElementNS(SVG, "svg");
      drawing.setAttribute("viewBox", "0 0 120 24");
      drawing.setAttribute("preserveAspectRatio", "none");
      drawing.setAttribute("role", "img");
      made.drawing = drawing;
      made.course_line = document.createElementNS(SVG, "polyline");
      drawing.append(made.course_line);
      cell(line, "td").append(drawing);
      byId("rows").append(line);
      rows.set(key, made);
    }
    return rows.get(key);
  };

  const current = (made) => {
    for (const other of rows.values()) other.line.className = other === made ? "current" : "";
  };

  const progress = (data) => {
    const left = data.left === null ? "" : ", " + (data.limit ? "at most " : "about ") + span(data.left) + " left";
    const of = data.slices ? " of " + data.slices : "";
    byId("now").textContent = data.workload + " on " + data.target;
    byId("progress").textContent = "slice " + data.slice + of + left;
  };

  const actions = {
    begin() {
      rows.clear();
      byId("rows").replaceChildren();
      byId("list").replaceChildren();
    },
    slice(data) {
      progress(data);
      current(row(data.workload, data.target));
    },
    second(data) {
      progress(data);
      const made = row(data.workload, data.target);
      current(made);
      made.rate.textContent = rate(data.rate);
      made.p50.textContent = time(data.p50);
      made.p99.textContent = time(data.p99);
      made.failed.textContent = count(data.failed);
      made.cpu.textContent = data.cpu === null ? unknown : data.cpu.toFixed(2);
      if (data.rate === null) return;
      made.course.push(data.rate);
      if (made.course.length > POINTS) made.course.shift();
      const highest = Math.max(...made.course, 1e-9);
      const step = made.course.length > 1 ? 120 / (made.course.length - 1) : 0;
      made.course_line.setAttribute("points", made.course
        .map((value, at) => (at * step).toFixed(1) + "," + (23 - 22 * value / highest).toFixed(1))
        .join(" "));
      made.drawing.setAttribute("aria-label", "highest " + rate(highest));
    },
    message(data) {
      const point = document.createElement("li");
      point.textContent = data.text;
      byId("list").append(point);
      while (byId("list").childElementCount > MESSAGES) byId("list").firstChild.remove();
      byId("messages").hidden = false;
    },
    step(data) {
      byId("now").textContent = data.text;
    },
    done() {
      source.close();
      location.replace("report.html");
    },
  };

  const source = new EventSource("events");
  for (const name of Object.keys(actions)) {
    source.addEventListener(name, (event) => actions[name](JSON.parse(event.data)));
  }
  source.onerror = () => {
    byId("now").textContent = source.readyState === EventSource.CLOSED
      ? "the run has closed the connection"
      : "the run has ended or does not respond";
  };
})();

"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const POINTS = 120, MESSAGES = 50;
  const byId = (id) => document.getElementById(id);
  const rows = new Map();
  const unknown = "–";
  // Texts in the language of the page, with their arguments in braces.
  const texts = JSON.parse(document.querySelector("main").dataset.texts);
  const said = (id, args = {}) => texts[id].replace(/\{(\w+)\}/g, (_, name) => args[name]);

  // Screen readers read what changes here. The figures of each second are not among it.
  const announce = (text) => {
    if (byId("said").textContent !== text) byId("said").textContent = text;
  };

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

  const clock = (left) => new Date(Date.now() + left * 1000)
    .toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

  // On a phone, each row is a card, in which each cell has the head of its column.
  const cell = (body, line, tag, numeric) => {
    const heads = body.closest("table").tHead.rows[0].cells;
    const made = document.createElement(tag);
    if (tag === "th") made.scope = "row";
    made.setAttribute("role", tag === "th" ? "rowheader" : "cell");
    made.dataset.h = heads[line.childElementCount].textContent;
    if (numeric) made.className = "n";
    line.append(made);
    return made;
  };

  const lineOf = (body) => {
    const line = document.createElement("tr");
    line.setAttribute("role", "row");
    body.append(line);
    return line;
  };

  const inSvg = (parent, tag, attributes, text) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };

  const row = (workload, target) => {
    const key = JSON.stringify([workload, target]);
    if (!rows.has(key)) {
      const body = byId("rows");
      const line = lineOf(body);
      const of = (tag, numeric) => cell(body, line, tag, numeric);
      of("th").textContent = workload;
      of("th").textContent = target;
      const made = { line, course: [] };
      for (const name of ["rate", "p50", "p99", "failed", "cpu"]) made[name] = of("td", true);
      const last = of("td");
      const drawing = inSvg(last, "svg", { viewBox: "0 0 120 24", preserveAspectRatio: "none", "aria-hidden": "true" });
      made.course_line = inSvg(drawing, "polyline", {});
      made.axis = document.createElement("small");
      last.append(made.axis);
      rows.set(key, made);
    }
    return rows.get(key);
  };

  const current = (made) => {
    for (const other of rows.values()) other.line.removeAttribute("aria-current");
    made.line.setAttribute("aria-current", "true");
  };

  const progress = (data) => {
    const time = { time: span(data.left), clock: clock(data.left) };
    const left = data.left === null ? "" : said(data.limit ? "at_most" : "about", time);
    byId("now").textContent = said("now", data);
    byId("progress").textContent = said(data.slices ? "slice_of" : "slice", data) + left;
  };

  // Failures since the start of the run, by workload, target and class.
  const failures = new Map();
  const errors = (data) => {
    for (const [name, failed] of Object.entries(data.classes ?? {})) {
      const key = JSON.stringify([data.workload, data.target, name]);
      if (!failures.has(key)) {
        const body = byId("classes");
        const line = lineOf(body);
        for (const text of [data.workload, data.target, name]) cell(body, line, "th").textContent = text;
        failures.set(key, cell(body, line, "td", true));
      }
      failures.get(key).textContent = count(failed);
      byId("errors").hidden = false;
    }
  };

  const BOX = { left: 60, right: 340, top: 8, bottom: 92 };

  // The ratio after each block, with its interval as a band, on a linear axis that includes 1.
  const course = (points) => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 350 128");
    svg.setAttribute("role", "img");
    const ends = points.flatMap(([, value, low, high]) => [value, low ?? value, high ?? value]);
    const [low, high] = [Math.min(1, ...ends), Math.max(1, ...ends)];
    const space = (high - low || 0.1) * 0.08;
    const last = points[points.length - 1][0];
    const first = points[0][0];
    const x = (rounds) => BOX.left + (BOX.right - BOX.left) * (last > first ? (rounds - first) / (last - first) : 0.5);
    const y = (value) => BOX.bottom - (BOX.bottom - BOX.top) * (value - low + space) / (high - low + 2 * space);
    const at = (rounds, value) => `${x(rounds).toFixed(1)} ${y(value).toFixed(1)}`;
    inSvg(svg, "path", { class: "edge", d: `M${BOX.left} ${BOX.bottom}H${BOX.right}` });
    inSvg(svg, "path", { class: "level", d: `M${BOX.left} ${y(1).toFixed(1)}H${BOX.right}` });
    let free = -Infinity;
    for (const value of [...new Set([1, high, low])]) {
      if (Math.abs(y(value) - free) < 14 && value !== 1) continue;
      free = value === 1 ? y(value) : free;
      const place = { x: BOX.left - 6, y: y(value) + 4, "text-anchor": "end", class: "soft num" };
      inSvg(svg, "text", place, `×${value.toPrecision(3).replace(/\.?0+$/, "")}`);
    }
    const known = points.filter((point) => point[2] !== null);
    const group = inSvg(svg, "g", { class: "c0" });
    if (known.length > 1) {
      const there = known.map((point) => at(point[0], point[3]));
      const back = known.map((point) => at(point[0], point[2])).reverse();
      inSvg(group, "path", { class: "band", d: `M${[...there, ...back].join("L")}Z` });
    } else if (known.length) {
      inSvg(group, "path", { class: "thin", d: `M${at(known[0][0], known[0][2])}L${at(known[0][0], known[0][3])}` });
    }
    inSvg(group, "path", { class: "line", d: `M${points.map((point) => at(point[0], point[1])).join("L")}` });
    const [, value] = points[points.length - 1];
    inSvg(group, "circle", { class: "dot", cx: x(last).toFixed(1), cy: y(value).toFixed(1), r: 3.2 });
    for (const [rounds, anchor] of first < last ? [[first, "middle"], [last, "end"]] : [[last, "middle"]]) {
      inSvg(svg, "text", { x: x(rounds), y: BOX.bottom + 16, "text-anchor": anchor, class: "soft num" }, rounds);
    }
    const title = { x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 32, "text-anchor": "middle", class: "soft" };
    inSvg(svg, "text", title, said("rounds"));
    return svg;
  };

  const actions = {
    begin() {
      rows.clear();
      failures.clear();
      byId("classes").replaceChildren();
      byId("errors").hidden = true;
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
      errors(data);
      if (data.rate === null) return;
      made.course.push(data.rate);
      if (made.course.length > POINTS) made.course.shift();
      const highest = Math.max(...made.course, 1e-9);
      const step = made.course.length > 1 ? 120 / (made.course.length - 1) : 0;
      made.course_line.setAttribute("points", made.course
        .map((value, at) => (at * step).toFixed(1) + "," + (23 - 22 * value / highest).toFixed(1))
        .join(" "));
      made.axis.textContent = said("axis", { rate: rate(highest), seconds: made.course.length });
    },
    ratios(data) {
      const figures = data.ratios.filter((it) => it.course.length).map((it) => {
        const figure = document.createElement("figure");
        const caption = document.createElement("figcaption");
        const name = document.createElement("b");
        name.textContent = `${it.workload}: ${it.metric}, ${it.challenger} ÷ ${it.baseline}`;
        const text = document.createElement("p");
        text.textContent = said("after", it);
        caption.append(name, text);
        const each = it.rounds / it.blocks;
        const drawing = course(it.course.map(([blocks, ...figures]) => [blocks * each, ...figures]));
        drawing.setAttribute("aria-label", `${name.textContent}: ${text.textContent}`);
        figure.append(caption, drawing);
        return figure;
      });
      // The first ratio is the primary one of the first workload; all of them would be too long to hear.
      if (figures.length) announce(figures[0].lastChild.getAttribute("aria-label"));
      byId("courses").replaceChildren(...figures);
      byId("ratios").hidden = figures.length === 0;
      if (data.more) {
        const more = document.createElement("p");
        more.textContent = said("more", data);
        byId("courses").append(more);
      }
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
      // Later, servers can start before every slice.
      if (!rows.size) announce(data.text);
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
    const text = said(source.readyState === EventSource.CLOSED ? "closed" : "silent");
    byId("now").textContent = text;
    announce(text);
  };
})();

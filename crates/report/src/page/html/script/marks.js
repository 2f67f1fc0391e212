// What the mark under the pointer or the keyboard stands for, and the figures of a selected one.

const tip = make("div", "tip");
tip.hidden = true;
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);

const shown = (chart) => chart.svgs.findIndex((svg) => svg.getClientRects().length > 0);
const nodeOf = (chart, mark) => mark.nodes[Math.max(0, shown(chart))];
const isVisible = (chart, mark) => nodeOf(chart, mark).getClientRects().length > 0;
const middleOf = (chart, mark) => {
  const box = nodeOf(chart, mark).getBoundingClientRect();
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, box };
};

const highlight = (chart, mark) => {
  chart.marks.forEach((each) => each.nodes.forEach((node) => node.classList.toggle("on", each === mark)));
};

const hideTip = (chart) => {
  tip.hidden = true;
  chart.current = null;
  highlight(chart, null);
};

const showTip = (chart, mark) => {
  chart.current = mark;
  highlight(chart, mark);
  tip.textContent = mark.text;
  tip.hidden = false;
  const { x, box } = middleOf(chart, mark);
  const wide = document.documentElement.clientWidth;
  const left = Math.max(4, Math.min(wide - tip.offsetWidth - 4, x - tip.offsetWidth / 2));
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(above < 4 ? box.bottom + 8 : above) + scrollY}px`;
};

const nearest = (chart, event, within) => {
  const away = (mark) => {
    const { x, y, box } = middleOf(chart, mark);
    const isInside = event.clientX >= box.left && event.clientX <= box.right
      && event.clientY >= box.top && event.clientY <= box.bottom;
    return isInside ? 0 : Math.hypot(event.clientX - x, event.clientY - y);
  };
  const all = chart.marks.filter((mark) => isVisible(chart, mark)).map((mark) => [away(mark), mark]);
  const [distance, mark] = all.reduce((best, each) => each[0] < best[0] ? each : best, [Infinity, null]);
  return distance <= within ? mark : null;
};

// The next mark in the order of the drawing, or the nearest one above or below.
const nextMark = (chart, key) => {
  const marks = chart.marks.filter((mark) => isVisible(chart, mark));
  const at = marks.indexOf(chart.current);
  if (key === "Home" || at < 0) return marks[0];
  if (key === "End") return marks[marks.length - 1];
  if (key === "ArrowRight") return marks[Math.min(marks.length - 1, at + 1)];
  if (key === "ArrowLeft") return marks[Math.max(0, at - 1)];
  const here = middleOf(chart, chart.current);
  const sign = key === "ArrowUp" ? -1 : 1;
  const far = (mark) => {
    const there = middleOf(chart, mark);
    const down = sign * (there.y - here.y);
    return down > 1 ? down + 4 * Math.abs(there.x - here.x) : Infinity;
  };
  const best = marks.reduce((one, other) => far(other) < far(one) ? other : one);
  return far(best) < Infinity ? best : chart.current;
};

const close = (chart) => {
  chart.chosen?.remove();
  chart.chosen = null;
  chart.marks.forEach((each) => each.nodes.forEach((node) => node.classList.remove("chosen")));
};

// Shows the figures of the slice, or of the slices, that a mark stands for.
const choose = (chart, mark) => {
  close(chart);
  const details = chart.data?.details;
  const row = details?.rows[mark.detail];
  say(mark.text);
  if (!row) return;
  mark.nodes.forEach((node) => node.classList.add("chosen"));
  const list = make("dl", "");
  details.head.forEach((head, column) => {
    if (isUnknown(row[column])) return;
    const pair = make("div", "");
    pair.append(make("dt", "", head), make("dd", "", row[column]));
    list.append(pair);
  });
  chart.chosen = make("div", "selected");
  chart.chosen.append(list, button(words.close, words.close, () => {
    close(chart);
    chart.drawing.focus();
  }));
  chart.drawing.after(chart.chosen);
};

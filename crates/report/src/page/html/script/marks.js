// What the mark under the pointer or the keyboard stands for, and the figures of a selected one.

const tip = make("div", "tip");
tip.hidden = true;
tip.ariaHidden = "true";
document.body.append(tip);

const isVisible = (node) => node.getClientRects().length > 0;
const shown = (chart) => chart.svgs.findIndex(isVisible);
const nodeOf = (chart, mark) => mark.nodes[Math.max(0, shown(chart))];
const visibleMarks = (chart) => chart.marks.filter((mark) => isVisible(nodeOf(chart, mark)));
const middleOf = (chart, mark) => {
  const box = nodeOf(chart, mark).getBoundingClientRect();
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, box };
};

// Gives a class to this mark only.
const single = (chart, className, mark) => chart.marks.forEach((each) =>
  each.nodes.forEach((node) => node.classList.toggle(className, each === mark)));

const hideTip = (chart) => {
  tip.hidden = true;
  chart.current = null;
  single(chart, "on");
};

const showTip = (chart, mark) => {
  chart.current = mark;
  single(chart, "on", mark);
  tip.textContent = mark.text;
  tip.hidden = false;
  const { x, box } = middleOf(chart, mark);
  const left = Math.max(4, Math.min(document.documentElement.clientWidth - tip.offsetWidth - 4, x - tip.offsetWidth / 2));
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
  const all = visibleMarks(chart).map((mark) => [away(mark), mark]);
  const [distance, mark] = all.reduce((best, each) => each[0] < best[0] ? each : best, [Infinity, null]);
  return distance <= within ? mark : null;
};

// The next mark in the order of the drawing, or the nearest one above or below.
const nextMark = (chart, key) => {
  const marks = visibleMarks(chart);
  const at = marks.indexOf(chart.current), last = marks.length - 1;
  const to = { Home: 0, End: last, ArrowRight: Math.min(last, at + 1), ArrowLeft: Math.max(0, at - 1) };
  if (at < 0 || key in to) return marks[at < 0 ? 0 : to[key]];
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
  single(chart, "chosen");
};

// Shows the figures of the slice, or of the slices, that a mark stands for.
const choose = (chart, mark) => {
  close(chart);
  const details = chart.data?.details;
  const row = details?.rows[mark.detail];
  say(mark.text);
  if (!row) return;
  single(chart, "chosen", mark);
  const pairs = details.head.flatMap((head, column) => isUnknown(row[column]) ? []
    : make("div", "", make("dt", "", head), make("dd", "", row[column])));
  chart.chosen = make("div", "selected", make("dl", "", ...pairs), button(words.close, words.close, () => {
    close(chart);
    chart.drawing.focus();
  }));
  chart.drawing.after(chart.chosen);
};

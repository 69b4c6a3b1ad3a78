// Elements of the page: all text is set as text, never as markup.
"use strict";

const fabricParts = (() => {
  /** Creates an element with properties and children; children are elements or texts. */
  function make(tag, properties = {}, ...children) {
    const own = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name.startsWith("on")) own.addEventListener(name.slice(2), value);
      else if (name in own && name !== "list") own[name] = value;
      else own.setAttribute(name, value);
    }
    own.append(...children.filter((child) => child !== null && child !== undefined));
    return own;
  }

  const button = (text, onclick, properties = {}) =>
    make("button", { type: "button", onclick, ...properties }, text);

  function svg(tag, properties = {}, ...children) {
    const own = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(properties)) own.setAttribute(name, value);
    own.append(...children);
    return own;
  }

  /** The end of an axis: 1, 2 or 5 times a power of ten. */
  function axisEnd(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= value * 0.999);
  }

  /**
   * A chart of steps over time. `lines` have a label and values by step, null for none. Returns the
   * element and a function that moves the mark of the current step.
   */
  function chart({ title, lines, steps, format, end }) {
    const [width, height, left, right, top, bottom] = [340, 130, 58, 8, 8, 20];
    const all = lines.flatMap((line) => line.values).filter((value) => value !== null);
    const most = end ?? axisEnd(Math.max(...all, 1));
    const from = steps.begin;
    const upto = steps.ends[steps.count - 1];
    const x = (ns) => left + ((ns - from) / Math.max(upto - from, 1e-9)) * (width - left - right);
    const y = (value) => height - bottom - (value / most) * (height - top - bottom);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart" });
    const peak = Math.max(...all, 0);
    picture.append(svg("title", {}, `${title}: at most ${format(peak)}`));
    for (const share of [0, 0.5, 1]) {
      const at = y(share * most);
      picture.append(
        svg("line", { x1: left, x2: width - right, y1: at, y2: at, class: "rule" }),
        svg("text", { x: left - 5, y: at + 4, "text-anchor": "end" }, format(share * most)),
      );
    }
    picture.append(
      svg("text", { x: left, y: height - 4 }, fabricData.time(from)),
      svg("text", { x: width - right, y: height - 4, "text-anchor": "end" }, fabricData.time(upto)),
    );
    lines.forEach((line, i) => {
      let path = "";
      line.values.forEach((value, step) => {
        if (value === null) return;
        const begin = x(step > 0 ? steps.ends[step - 1] : from);
        path += `${path ? "L" : "M"}${begin.toFixed(1)} ${y(value).toFixed(1)}H${x(steps.ends[step]).toFixed(1)}`;
      });
      picture.append(svg("path", { d: path, class: `line line-${i}` }));
    });
    const mark = svg("line", { y1: top, y2: height - bottom, class: "mark" });
    picture.append(mark);
    const move = (step) => {
      mark.style.display = step < 0 ? "none" : "";
      const middle = step < 0 ? from : (steps.ends[step] + (step > 0 ? steps.ends[step - 1] : from)) / 2;
      mark.setAttribute("x1", x(middle));
      mark.setAttribute("x2", x(middle));
    };
    const names = lines.map((line, i) => make("span", { className: `key key-${i}` }, line.label));
    return { element: make("figure", {}, make("figcaption", {}, title, " ", ...names), picture), move };
  }

  return { make, button, chart };
})();

// The controls of the picture: quantity, time, zoom, search, and the keyboard.
"use strict";

const fabricControls = (() => {
  const { make, button } = fabricParts;
  const { time } = fabricData;

  /** Names that a search shows, at most. */
  const MOST_FOUND = 30;

  function quantities(view) {
    const known = Object.values(view.model.quantities);
    if (known.length === 0) return null;
    const choose = make("select", { onchange: () => view.setQuantity(choose.value) });
    for (const own of known) choose.append(make("option", { value: own.key }, own.label));
    choose.value = view.state.quantity.key;
    return make("label", {}, "Color ", choose);
  }

  /** The scale of colors with its units. */
  function legend(view) {
    const strip = make("canvas", { width: 256, height: 1, className: "scale" });
    const ticks = make("div", { className: "ticks", "aria-hidden": "true" });
    const words = make("p", {});
    const element = make("div", { className: "legend" }, make("div", { className: "ramp" }, strip, ticks), words);
    const update = () => {
      const { quantity, step } = view.state;
      element.hidden = !quantity;
      if (!quantity) return;
      const context = strip.getContext("2d");
      for (let level = 0; level < 256; level++) {
        context.fillStyle = view.picture.theme.colors[level];
        context.fillRect(level, 0, 1, 1);
      }
      const labels = [0, 0.25, 0.5, 0.75, 1].map((place) => {
        const own = make("span", {}, quantity.format(quantity.valueAt(place)));
        own.style.left = `${place * 100}%`;
        return own;
      });
      ticks.replaceChildren(...labels);
      const { samples, count } = view.model.steps;
      const isMerged = step < 0 || samples > count;
      const of = step < 0 ? "over the whole run" : `of about ${Math.round(samples / count)} samples`;
      const scale = quantity.share ? "" : ", on a logarithmic scale";
      words.textContent = `${quantity.label}: ${quantity.legend}${isMerged ? `, ${quantity.merged} ${of}` : ""}${scale}. ` +
        "A switch has the color of its largest port; strips of hosts show arrivals above departures. Gray is zero, and a paler gray is not observed.";
    };
    return { element, update };
  }

  /** Play, slider and the whole run. */
  function timeBar(view) {
    const { steps, events } = view.model;
    if (!steps) return { element: make("div", { hidden: true }), update: () => {} };
    const play = button("Play", () => view.toggle(), { className: "play" });
    const slider = make("input", { type: "range", min: 0, max: steps.count - 1, step: 1, "aria-label": "Time", className: "slider" });
    slider.addEventListener("input", () => view.setStep(Number(slider.value)));
    const whole = button("Whole run", () => view.setStep(-1), { className: "whole" });
    const said = make("output", { className: "now" });
    const marks = make("div", { className: "marks", "aria-hidden": "true" });
    for (const event of events.slice(0, 200)) {
      const own = make("i", { title: `${time(event.at_ns)}: ${event.words}` });
      own.style.left = `${(100 * (event.at_ns - steps.begin)) / steps.total}%`;
      if (event.at_ns <= steps.begin + steps.total) marks.append(own);
    }
    const update = () => {
      const { step } = view.state;
      play.textContent = view.isPlaying() ? "Pause" : "Play";
      whole.setAttribute("aria-pressed", String(step < 0));
      slider.value = Math.max(step, 0);
      const from = step > 0 ? steps.ends[step - 1] : steps.begin;
      const words = step < 0 ? `whole run, ${time(steps.total)}` : `${time(from)} to ${time(steps.ends[step])}`;
      said.textContent = words;
      slider.setAttribute("aria-valuetext", words);
    };
    const element = make("div", { className: "time" }, play, make("div", { className: "track" }, slider, marks), whole, said);
    return { element, update };
  }

  /** Search by name or number. */
  function search(view) {
    const { model } = view;
    const results = make("ul", { className: "found", id: "fabric-found" });
    const box = make("input", {
      type: "search", placeholder: "name, such as tor3", "aria-label": "Search nodes by name or number",
      "aria-controls": "fabric-found", autocomplete: "off",
    });
    const said = make("p", { role: "status", className: "said" });
    const choose = (node) => {
      view.picture.goTo(node);
      view.select({ node });
    };
    const find = () => {
      const wanted = box.value.trim().toLowerCase();
      if (wanted === "") return { nodes: [], all: 0 };
      const rank = (node) => {
        const name = model.names[node].toLowerCase();
        if (name === wanted || String(model.numbers[node]) === wanted) return 0;
        return name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3;
      };
      const ranked = [];
      for (let node = 0; node < model.nodes; node++) {
        const own = rank(node);
        if (own < 3) ranked.push([own, node]);
      }
      ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      return { nodes: ranked.map(([, node]) => node), all: ranked.length };
    };
    const update = () => {
      const { nodes, all } = find();
      results.replaceChildren(...nodes.slice(0, MOST_FOUND).map((node) => make("li", {}, button(model.names[node], () => choose(node)))));
      said.textContent = box.value.trim() === "" ? "" : all === 0 ? "No node has this name." : `${all} found${all > MOST_FOUND ? `, the first ${MOST_FOUND} are listed` : ""}`;
      view.highlight(nodes.slice(0, MOST_FOUND));
    };
    box.addEventListener("input", update);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        const [first] = find().nodes;
        if (first !== undefined) choose(first);
      } else if (event.key === "Escape") {
        box.value = "";
        update();
      }
    });
    return { element: make("div", { className: "search", role: "search" }, box, said, results), box };
  }

  /** Buttons for people without a wheel. */
  function zoomButtons(view) {
    const { picture } = view;
    const by = (factor) => () => {
      picture.camera.zoomAt(factor, picture.camera.width / 2, picture.camera.height / 2);
      view.paint();
    };
    return make("div", { className: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", by(1.6), { "aria-label": "Zoom in" }),
      button("−", by(1 / 1.6), { "aria-label": "Zoom out" }),
      button("Fit", () => {
        picture.camera.fit();
        view.paint();
      }));
  }

  function keys(view, searchBox) {
    const { camera } = view.picture;
    const [x, y] = [() => camera.width / 2, () => camera.height / 2];
    return {
      "+": () => camera.zoomAt(1.4, x(), y()),
      "=": () => camera.zoomAt(1.4, x(), y()),
      "-": () => camera.zoomAt(1 / 1.4, x(), y()),
      0: () => camera.fit(),
      ArrowLeft: () => camera.panBy(60, 0),
      ArrowRight: () => camera.panBy(-60, 0),
      ArrowUp: () => camera.panBy(0, 60),
      ArrowDown: () => camera.panBy(0, -60),
      " ": () => view.toggle(),
      ",": () => view.setStep(view.state.step - 1),
      ".": () => view.setStep(view.state.step + 1),
      "/": () => searchBox.focus(),
      Escape: () => view.select(null),
      Enter: () => view.selectAt(x(), y(), 40),
    };
  }

  /** Wheel, mouse, touch and keyboard on the canvas. */
  function listen(view, canvas, searchBox) {
    const { picture } = view;
    const pointers = new Map();
    let moved = 0;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      picture.camera.zoomAt(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), ...place(event));
      view.paint();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      if (pointers.size === 1) moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      const before = pointers.get(event.pointerId);
      if (!before) return view.hover(x, y);
      const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, own]) => own);
      if (others.length === 0) picture.camera.panBy(x - before[0], y - before[1]);
      else pinch(picture.camera, before, [x, y], others[0]);
      moved += Math.hypot(x - before[0], y - before[1]);
      pointers.set(event.pointerId, [x, y]);
      view.paint();
    });
    const end = (event) => {
      const isClick = pointers.size === 1 && moved < 6 && event.type === "pointerup";
      pointers.delete(event.pointerId);
      if (isClick) view.selectAt(...place(event), event.pointerType === "mouse" ? 7 : 16);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => view.hover(-1, -1));
    const actions = keys(view, searchBox);
    canvas.addEventListener("keydown", (event) => {
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
      view.paint();
    });
  }

  /** Two fingers: zooms by their distance around the finger that rests. */
  function pinch(camera, before, now, rest) {
    const span = ([x, y]) => Math.max(Math.hypot(x - rest[0], y - rest[1]), 1);
    camera.zoomAt(span(now) / span(before), (now[0] + rest[0]) / 2, (now[1] + rest[1]) / 2);
  }

  return { quantities, legend, timeBar, search, zoomButtons, listen };
})();

// The fabric of a run: fabricView(element, data) shows it in an element.
"use strict";

const fabricView = (() => {
  const { make } = fabricParts;
  const { counted } = fabricData;
  /** Milliseconds that a run takes when it is played, and the limits of one step. */
  const WHOLE_RUN = 12000;
  const LEAST_STEP = 60;
  const MOST_STEP = 500;
  /** Steps of a run without observations, for its failures. */
  const PLAIN_STEPS = 100;

  /** Steps over a run without samples. */
  function plainSteps(end) {
    const length = end / PLAIN_STEPS;
    const ends = Array.from({ length: PLAIN_STEPS }, (_, i) => (i + 1) * length);
    return { begin: 0, ends, lengths: ends.map(() => length), count: PLAIN_STEPS, samples: PLAIN_STEPS, total: end };
  }

  /** Links and switches that are down at some time of a step; step -1 is the whole run. */
  function downAt({ events, steps, portsOf, other }, step) {
    const ports = new Set();
    const nodes = new Set();
    const begin = step < 0 || !steps ? -Infinity : step > 0 ? steps.ends[step - 1] : steps.begin;
    const end = step < 0 || !steps ? Infinity : steps.ends[step];
    for (const event of [...events].sort((a, b) => a.at_ns - b.at_ns)) {
      if (event.at_ns >= end) break;
      if (event.kind === "link-down") event.ports.forEach((port) => ports.add(port));
      if (event.kind === "switch-down") nodes.add(event.node);
      // What fails in a step is down in it, even if it recovers in the same one.
      if (event.at_ns >= begin) continue;
      if (event.kind === "link-up") event.ports.forEach((port) => ports.delete(port));
      if (event.kind === "switch-up") nodes.delete(event.node);
    }
    for (const node of nodes) {
      for (const port of portsOf(node)) {
        ports.add(port);
        ports.add(other[port]);
      }
    }
    return { ports, nodes };
  }

  class View {
    constructor(root, data) {
      const model = fabricData.decode(data);
      if (!model.steps && model.events.length > 0 && model.end > 0) model.steps = plainSteps(model.end);
      this.root = root;
      this.model = model;
      const known = Object.values(model.quantities);
      this.state = { quantity: known[0] ?? null, step: -1, chosen: null, found: [] };
      this.timer = null;
      this.build();
      this.look = window.matchMedia("(prefers-color-scheme: dark)");
      this.relook = () => {
        this.picture.setTheme(this.look.matches);
        this.legend.update();
        this.paint();
      };
      this.look.addEventListener("change", this.relook);
      this.picture.setTheme(this.look.matches);
      this.watch = new ResizeObserver(() => {
        this.picture.resize();
        this.draw();
      });
      this.picture.resize();
      this.update();
      this.draw();
      this.watch.observe(this.canvas);
      performance.mark("fabric-drawn");
    }

    build() {
      const { model } = this;
      const words = `Picture of the fabric: ${model.nodes} nodes and ${model.ports / 2} links. ` +
        "Plus and minus zoom, arrows move, 0 fits, space plays, comma and period step, slash searches. " +
        "The lists below have the same links and flows.";
      this.canvas = make("canvas", { tabIndex: 0, role: "application", "aria-label": words, className: "fabric" });
      this.picture = new fabricDraw.Picture(this.canvas, model, fabricLayout.layout(model));
      this.tip = make("div", { className: "tip", hidden: true });
      this.said = make("p", { className: "said", role: "status" });
      this.legend = fabricControls.legend(this);
      this.timeBar = fabricControls.timeBar(this);
      this.busiest = fabricPanels.busiest(this);
      this.selection = fabricPanels.selection(this);
      const search = fabricControls.search(this);
      const bar = make("div", { className: "bar-top" }, fabricControls.quantities(this), fabricControls.zoomButtons(this), search.element);
      const picture = make("div", { className: "picture" }, bar,
        make("div", { className: "stage" }, this.canvas, this.tip),
        this.timeBar.element, this.said, this.legend.element);
      const notes = fabricPanels.notesPanel(this);
      const panels = [this.selection.element, this.busiest.element, fabricPanels.eventsPanel(this), fabricPanels.flowsPanel(this)];
      // Without colors, the notes that tell how to get some come first.
      panels.splice(this.state.quantity ? panels.length : 1, 0, notes);
      const side = make("div", { className: "side" }, ...panels.filter(Boolean));
      this.root.replaceChildren(make("div", { className: "fabric-view" }, picture, side));
      this.selection.show(null);
      fabricControls.listen(this, this.canvas, search.box);
    }

    close() {
      clearInterval(this.timer);
      this.watch.disconnect();
      this.look.removeEventListener("change", this.relook);
      this.root.replaceChildren();
    }

    isPlaying() {
      return this.timer !== null;
    }

    toggle() {
      const { steps } = this.model;
      if (!steps) return;
      if (this.timer !== null) {
        clearInterval(this.timer);
        this.timer = null;
      } else {
        const last = steps.count - 1;
        if (this.state.step >= last) this.state.step = -1;
        const pause = Math.min(Math.max(WHOLE_RUN / steps.count, LEAST_STEP), MOST_STEP);
        this.timer = setInterval(() => {
          if (this.state.step >= last) this.toggle();
          else this.moveTo(this.state.step + 1);
        }, pause);
        this.moveTo(this.state.step + 1);
      }
      this.update();
    }

    /** Selects a step; -1 is the whole run. Playing ends. */
    setStep(step) {
      if (this.timer !== null) this.toggle();
      this.moveTo(step);
    }

    setTime(ns) {
      const { steps } = this.model;
      if (!steps) return;
      const step = steps.ends.findIndex((end) => end > ns);
      this.setStep(step < 0 ? steps.count - 1 : step);
    }

    moveTo(step) {
      const last = (this.model.steps?.count ?? 0) - 1;
      this.state.step = Math.min(Math.max(step, -1), last);
      this.update();
      this.paint();
    }

    setQuantity(key) {
      this.state.quantity = this.model.quantities[key];
      this.update();
      this.paint();
    }

    select(chosen) {
      this.state.chosen = chosen;
      this.mark();
      this.selection.show(chosen);
      // On a phone the panel is below the picture.
      const { element } = this.selection;
      if (chosen && element.getBoundingClientRect().top > window.innerHeight - 80) {
        element.scrollIntoView({ block: "nearest" });
      }
      this.paint();
    }

    selectAt(x, y, reach) {
      const hit = this.picture.hit(x, y, reach);
      if (hit?.ports) this.select({ ports: hit.ports });
      else this.select(hit ? { node: hit.node } : null);
    }

    highlight(nodes) {
      this.state.found = nodes;
      this.paint();
    }

    /** Computes the marks of the selection. */
    mark() {
      const { chosen } = this.state;
      let marks = { ports: [], possible: [], nodes: [] };
      if (chosen?.flow !== undefined) marks = fabricPaths.path(this.model, chosen.flow);
      else if (chosen?.node !== undefined) marks.nodes = [chosen.node];
      else if (chosen) marks.ports = chosen.ports.slice(0, 1);
      this.picture.marks = marks;
    }

    hover(x, y) {
      const hit = x < 0 ? null : this.picture.hit(x, y, 6);
      this.tip.hidden = !hit;
      if (!hit) return;
      const { quantity, step } = this.state;
      const value = (port) => (quantity ? `: ${quantity.format(quantity.value(port, step))}` : "");
      let words;
      if (hit.ports) {
        const [first] = hit.ports;
        const more = hit.ports.length > 2 ? `, the largest of ${hit.ports.length / 2} links` : "";
        words = `${this.model.portName(first)}${value(first)}${more}`;
      } else {
        words = this.model.names[hit.node] + (hit.group ? `, one of ${hit.group.label}` : "");
      }
      this.tip.textContent = words;
      this.tip.style.left = `${Math.min(x + 12, this.picture.camera.width - 160)}px`;
      this.tip.style.top = `${y + 14}px`;
    }

    /** Updates everything that depends on the time or the quantity. */
    update() {
      this.legend.update();
      this.timeBar.update();
      this.busiest.update();
      this.selection.update();
      this.down = downAt(this.model, this.state.step);
      this.said.textContent = this.failures();
      this.root.dataset.step = this.state.step;
    }

    /** Events of the selected step, and the links and switches that are down. */
    failures() {
      const { events, steps } = this.model;
      const { step } = this.state;
      if (events.length === 0) return "";
      const { ports, nodes } = this.down;
      const count = `${counted(ports.size / 2, "link")} and ${counted(nodes.size, "switch", "switches")}`;
      if (step < 0) return `Down at some time: ${count}. The list of failures has the times.`;
      const begin = step > 0 ? steps.ends[step - 1] : steps.begin;
      const now = events.filter((event) => event.at_ns >= begin && event.at_ns < steps.ends[step]);
      return [...now.map((event) => event.words), `down: ${count}`].join("; ");
    }

    /** Paints in the next frame. */
    paint() {
      if (this.frame) return;
      this.frame = requestAnimationFrame(() => {
        this.frame = null;
        this.draw();
      });
    }

    draw() {
      const { quantity, step, found } = this.state;
      const marks = this.picture.marks ?? { ports: [], possible: [], nodes: [] };
      this.picture.draw({ quantity, step, down: this.down, marks: { ...marks, nodes: [...marks.nodes, ...found] } });
    }
  }

  return (root, data) => {
    const view = new View(root, data);
    // The tests of the page look for places of links in it.
    root.fabric = view;
    return view;
  };
})();

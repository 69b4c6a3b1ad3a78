// The panels beside the picture: the selection, the busiest links, flows, failures and notes.
"use strict";

const fabricPanels = (() => {
  const { make, button, chart } = fabricParts;
  const { size, rate, percent, counted, time } = fabricData;

  /** Entries of a list before the button for more. */
  const FEW = 25;

  /** A list that shows some entries, and more on request. */
  function longList(count, entry, few = FEW) {
    const list = make("ol", { className: "list" });
    let shown = 0;
    const more = button("Show more", () => add());
    const add = () => {
      const upto = Math.min(shown + few, count);
      for (; shown < upto; shown++) list.append(make("li", {}, entry(shown)));
      more.hidden = shown >= count;
    };
    add();
    return make("div", {}, list, more);
  }

  /** The values of a port in the selected step, in words. */
  function values(model, port, step) {
    const known = Object.values(model.quantities).filter((own) => own.observes(port));
    if (known.length === 0) return "not observed";
    return known.map((own) => `${own.noun} ${own.format(own.value(port, step))}`).join(", ");
  }

  function linkButton(view, port) {
    const { model } = view;
    const { quantity } = view.state;
    const value = quantity ? ` ${quantity.format(quantity.value(port, view.state.step))}` : "";
    return button(`${model.portName(port)}${value}`, () => view.select({ ports: [port, model.other[port]] }));
  }

  function aboutLink(view, port) {
    const { model } = view;
    const back = model.other[port];
    const both = [port, back];
    const parts = [
      make("p", {}, `${model.tierOf(port)}, ${rate(model.rateOf(port))}, ${time(model.delayOf(port))}; ports ${model.portNumber[port]} and ${model.portNumber[back]}`),
    ];
    const now = both.map((own) => make("li", {}));
    const update = (step) => both.forEach((own, i) => {
      now[i].textContent = `${model.portName(own)}: ${values(model, own, step)}`;
    });
    parts.push(make("ul", { className: "now" }, ...now));
    const moves = [update];
    for (const quantity of Object.values(model.quantities)) {
      const seen = both.filter((own) => quantity.observes(own));
      const lines = seen.map((own) => ({
        label: model.portName(own),
        values: model.steps.ends.map((_, step) => quantity.value(own, step)),
      }));
      if (lines.length === 0 || (quantity.key === "paused" && lines.every((line) => line.values.every((value) => value === 0)))) continue;
      const end = quantity.share ? 1 : undefined;
      const drawn = chart({ title: quantity.label, lines, steps: model.steps, format: (value) => quantity.format(value), end });
      parts.push(drawn.element);
      moves.push(drawn.move);
    }
    for (const own of both) {
      for (const [counts, what] of [[model.marked, "marked"], [model.dropped, "dropped or lost"]]) {
        if (counts.has(own)) parts.push(make("p", {}, `${model.portName(own)}: ${counts.get(own)} packets ${what} in the run`));
      }
    }
    for (const event of model.events.filter((own) => own.ports.includes(port))) {
      parts.push(make("p", {}, `${time(event.at_ns)}: ${event.words}`));
    }
    parts.push(make("p", {}, ...both.map((own) => button(model.names[model.node[own]], () => view.select({ node: model.node[own] })))));
    return { title: `Link ${model.portName(port).replace(" -> ", " - ")}`, parts, move: (step) => moves.forEach((own) => own(step)) };
  }

  function aboutLinks(view, ports) {
    const entry = (i) => linkButton(view, ports[i]);
    return {
      title: `${ports.length / 2} links, the busiest direction first`,
      parts: [longList(ports.length, entry)],
      move: () => {},
    };
  }

  function aboutNode(view, node) {
    const { model, picture } = view;
    const own = [...model.portsOf(node)];
    const ports = own.flatMap((port) => [port, model.other[port]]);
    const level = (port) => picture.shown?.ports[port] ?? -1;
    ports.sort((a, b) => level(b) - level(a) || a - b);
    const kind = model.isHost[node] ? "host" : "switch";
    return {
      title: `${kind === "host" ? "Host" : "Switch"} ${model.names[node]}`,
      parts: [
        make("p", {}, `${kind} ${model.numbers[node]} with ${counted(own.length, "port")}; its links, the busiest direction first:`),
        longList(ports.length, (i) => linkButton(view, ports[i])),
      ],
      move: () => {},
    };
  }

  function partsTable(model, index) {
    const { flows } = model;
    const [, , , , , , fct] = flows.rows[index];
    const rows = flows.parts[index].map(([stage, part, port, behind, ns]) => {
      const name = fabricPaths.words(flows.words[stage], flows.words[part], flows.words[behind], flows.classes);
      const share = ns / Math.max(fct, 1e-9);
      const bar = make("span", { className: "bar" });
      bar.style.width = `${Math.max(share * 100, 0.5)}%`;
      return make("tr", {},
        make("th", { scope: "row" }, name, port === null ? null : make("span", { className: "place" }, model.portName(port))),
        make("td", { className: "number" }, time(ns)),
        make("td", { className: "number" }, percent(share)),
        make("td", { className: "bars", "aria-hidden": "true" }, bar));
    });
    const heads = ["part", "time", "share", ""].map((head) => make("th", { scope: "col" }, head));
    return make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  }

  function aboutFlow(view, index) {
    const { model, picture } = view;
    const { flows } = model;
    const [number, source, destination, kind, bytes, start, fct, ideal] = flows.rows[index];
    const names = `${model.names[source]} -> ${model.names[destination]}`;
    const slowdown = Math.max(fct / Math.max(ideal, 1e-9), 1);
    const parts = [
      make("p", {}, `${flows.classes[kind] ?? `class ${kind}`}, ${size(bytes)}; started at ${time(start)}, took ${time(fct)}, ${slowdown.toFixed(2)} times its ideal ${time(ideal)}`),
    ];
    const { possible } = picture.marks ?? { possible: [] };
    parts.push(make("p", {}, possible.length === 0
      ? "The picture shows its path."
      : "The picture shows the links that are certain; dashed ones are all shortest paths for the rest. " +
        "`hop_delays = true` in `[observe]` shows the whole path."));
    if (flows.parts) {
      parts.push(make("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": "parts of the completion time" }, partsTable(model, index)));
    } else {
      parts.push(make("p", {}, "`delays = true` in `[observe]`, or `--set observe.delays=true`, takes the time of each flow apart."));
    }
    if (model.steps) parts.push(make("p", {}, button("Go to its start", () => view.setTime(start)), button("Go to its end", () => view.setTime(start + fct))));
    return { title: `Flow ${number}: ${names}`, parts, move: () => {} };
  }

  /** The list of flows, and the box for a number. */
  function flowsPanel(view) {
    const { model } = view;
    const { flows } = model;
    if (!flows || flows.rows.length === 0) {
      return make("section", {}, make("h2", {}, "Flows"), make("p", {}, "No flow has ended."));
    }
    const said = make("p", { role: "status" });
    const box = make("input", { type: "number", min: 0, step: 1, "aria-label": "number of a flow", placeholder: "number", inputMode: "numeric" });
    const form = make("form", {
      className: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        const index = flows.rows.findIndex((row) => row[0] === Number(box.value));
        const isThere = box.value !== "" && index >= 0;
        said.textContent = isThere ? "" : `Flow ${box.value} is not among these ${flows.rows.length}; --flows keeps more.`;
        if (isThere) view.select({ flow: index });
      },
    }, make("label", {}, "Flow ", box), make("button", { type: "submit" }, "Show"));
    const entry = (i) => {
      const [number, source, destination, , bytes, , fct, ideal] = flows.rows[i];
      const slowdown = Math.max(fct / Math.max(ideal, 1e-9), 1);
      const words = `${number}: ${model.names[source]} -> ${model.names[destination]}, ${size(bytes)}, ${slowdown.toFixed(2)} x`;
      return button(words, () => view.select({ flow: i }));
    };
    const of = flows.rows.length < flows.all ? `the ${flows.rows.length} slowest of ${flows.all}` : `all ${flows.all}`;
    return make("section", { className: "flows" },
      make("h2", {}, "Flows, slowest first"),
      make("p", {}, `${of}, by completion time over ideal completion time (x)`),
      form, said, longList(flows.rows.length, entry, 12));
  }

  function eventsPanel(view) {
    const { model } = view;
    if (model.events.length === 0) return null;
    const events = [...model.events].sort((a, b) => a.at_ns - b.at_ns);
    const entry = (i) => button(`${time(events[i].at_ns)}: ${events[i].words}`, () => {
      view.setTime(events[i].at_ns);
      if (events[i].node !== null) view.select({ node: events[i].node });
      else if (events[i].ports.length > 0) view.select({ ports: events[i].ports });
    });
    return make("section", { className: "events" }, make("h2", {}, "Failures and changes"), longList(events.length, entry, 10));
  }

  function notesPanel(view) {
    const { model } = view;
    const notes = [...model.notes];
    const { steps } = model;
    if (steps && steps.samples > steps.count) {
      notes.push(`${steps.samples} samples are merged to ${steps.count} steps: the mean of utilization and pauses, and the longest queue. \`--steps\` shows more of them.`);
    }
    if (model.quantities.queue) {
      notes.push("Queues are as long as at the samples: shorter peaks between samples are missing. Lengths are rounded up by at most a sixteenth, shares to 0.4%.");
    }
    return notes.length === 0 ? null
      : make("section", { className: "notes" }, make("h2", {}, "Notes"), make("ul", {}, ...notes.map((note) => make("li", {}, note))));
  }

  /** The ten links with the largest values. */
  function busiest(view) {
    const list = make("ol", { className: "list" });
    const title = make("h2", {});
    const element = make("section", { className: "busiest" }, title, list);
    const update = () => {
      const { quantity, step } = view.state;
      element.hidden = !quantity;
      if (!quantity) return;
      title.textContent = step < 0 ? `Largest in the run: ${quantity.noun}` : `Largest at this time: ${quantity.noun}`;
      const codes = [];
      for (let port = 0; port < view.model.ports; port++) {
        const code = quantity.code(port, step);
        if (code > 0) codes.push([code, port]);
      }
      codes.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
      const items = codes.slice(0, 10).map(([, port]) => make("li", {}, linkButton(view, port)));
      list.replaceChildren(...(items.length > 0 ? items : [make("li", {}, "all are zero")]));
    };
    return { element, update };
  }

  /** The panel of the selection. */
  function selection(view) {
    const element = make("section", { className: "selection", "aria-live": "polite", tabIndex: -1 });
    let move = () => {};
    const show = (chosen) => {
      element.replaceChildren();
      move = () => {};
      element.dataset.kind = chosen ? Object.keys(chosen)[0] : "none";
      if (!chosen) {
        element.append(make("p", {}, "Select a link, a switch or a host in the picture, in a list, or by search."));
        return;
      }
      let about;
      if (chosen.flow !== undefined) about = aboutFlow(view, chosen.flow);
      else if (chosen.node !== undefined) about = aboutNode(view, chosen.node);
      else if (chosen.ports.length <= 2) about = aboutLink(view, chosen.ports[0]);
      else about = aboutLinks(view, chosen.ports);
      element.append(make("h2", {}, about.title), ...about.parts, button("Clear", () => view.select(null)));
      move = about.move;
      move(view.state.step);
    };
    return { element, show, update: () => move(view.state.step) };
  }

  return { flowsPanel, eventsPanel, notesPanel, busiest, selection };
})();

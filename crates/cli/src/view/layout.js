// Places of nodes in a unit square, and the groups into which they collapse.
//
// Fabrics of tiers have a row for each tier. Other networks are grids, circles of groups, or drawn by
// forces between neighbors. The hosts of a switch are a strip below it.
"use strict";

const fabricLayout = (() => {
  /** Switches in a layout by forces, at most: its cost grows with their square. */
  const MOST_FORCES = 700;

  /** Distances in links from the hosts; hosts have 0. */
  function distances(model) {
    const distance = new Int32Array(model.nodes).fill(-1);
    let front = [];
    for (let node = 0; node < model.nodes; node++) {
      if (model.isHost[node]) {
        distance[node] = 0;
        front.push(node);
      }
    }
    if (front.length === 0 && model.nodes > 0) {
      distance[0] = 1;
      front.push(0);
    }
    while (front.length > 0) {
      const next = [];
      for (const node of front) {
        for (const port of model.portsOf(node)) {
          const peer = model.peer(port);
          if (distance[peer] < 0) {
            distance[peer] = distance[node] + 1;
            next.push(peer);
          }
        }
      }
      front = next;
    }
    return distance.map((own) => (own < 0 ? 1 : own));
  }

  /** The rows of the fabric from the hosts up: their names and nodes. */
  function rowsOf(model, distance) {
    const rows = new Map();
    for (let node = 0; node < model.nodes; node++) {
      const ports = model.portsOf(node);
      const name = ports.length > 0 ? model.tierOf(ports[0]).split(" to ")[0] : "switch";
      const key = model.isHost[node] ? "0" : `${distance[node]} ${name}`;
      if (!rows.has(key)) rows.set(key, { name, distance: distance[node], nodes: [] });
      rows.get(key).nodes.push(node);
    }
    const all = [...rows.values()].sort((a, b) => a.distance - b.distance || a.nodes[0] - b.nodes[0]);
    const names = all.map((row) => row.name);
    for (const row of all) {
      if (row.distance > 0 && names.indexOf(row.name) !== names.lastIndexOf(row.name)) {
        row.name = `${row.name}, ${row.distance} from hosts`;
      }
    }
    return all;
  }

  /** The switch to which a host belongs: the one at its first port. */
  function homes(model) {
    const home = new Int32Array(model.nodes).fill(-1);
    for (let node = 0; node < model.nodes; node++) {
      const ports = model.isHost[node] ? model.portsOf(node) : [];
      if (ports.length > 0) home[node] = model.peer(ports[0]);
    }
    return home;
  }

  /** Nodes that are connected through rows up to each row: an array of representatives by row. */
  function componentsByRow(model, rows, rowOf) {
    const parent = Int32Array.from({ length: model.nodes }, (_, node) => node);
    const find = (node) => {
      while (parent[node] !== node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
      }
      return node;
    };
    return rows.map((row, level) => {
      for (const node of row.nodes) {
        for (const port of model.portsOf(node)) {
          const peer = model.peer(port);
          if (rowOf[peer] < level) {
            const [a, b] = [find(node), find(peer)];
            parent[Math.max(a, b)] = Math.min(a, b);
          }
        }
      }
      return Int32Array.from({ length: model.nodes }, (_, node) => find(node));
    });
  }

  /** A layout under construction: places of nodes, sizes of their cells, and groups. */
  class Layout {
    constructor(model) {
      this.model = model;
      this.u = new Float32Array(model.nodes);
      this.v = new Float32Array(model.nodes);
      /** Width and height of the room of each node. */
      this.w = new Float32Array(model.nodes);
      this.h = new Float32Array(model.nodes);
      this.groups = [];
      /** Groups of each node from the smallest to the largest. */
      this.groupsOf = Array.from({ length: model.nodes }, () => []);
      /** Names of rows, and of other parts with their places. */
      this.rows = [];
      this.labels = [];
    }

    group(label, members, round = false) {
      if (members.length < 2) return;
      const group = { label, members, round };
      const bounds = (of, room) => {
        let [low, high] = [Infinity, -Infinity];
        for (const node of members) {
          low = Math.min(low, of[node] - room[node] / 2);
          high = Math.max(high, of[node] + room[node] / 2);
        }
        return [low, high];
      };
      [group.u0, group.u1] = bounds(this.u, this.w);
      [group.v0, group.v1] = bounds(this.v, this.h);
      this.groups.push(group);
      for (const node of members) this.groupsOf[node].push(this.groups.length - 1);
    }

    /** Puts the hosts of each switch in a strip, with one row of hosts. */
    strips(hosts, place) {
      const bySwitch = new Map();
      for (const host of hosts) {
        const home = this.home[host];
        if (!bySwitch.has(home)) bySwitch.set(home, []);
        bySwitch.get(home).push(host);
      }
      for (const [home, members] of bySwitch) {
        const { u, v, w, h } = place(home);
        members.forEach((host, i) => {
          this.u[host] = u - w / 2 + ((i + 0.5) * w) / members.length;
          this.v[host] = v;
          this.w[host] = w / members.length;
          this.h[host] = h;
        });
        const of = home < 0 ? "no switch" : this.model.names[home];
        this.group(`${members.length} hosts of ${of}`, members);
      }
    }
  }

  const gather = (nodes, key) => {
    const groups = new Map();
    for (const node of nodes) {
      const of = key(node);
      if (!groups.has(of)) groups.set(of, []);
      groups.get(of).push(node);
    }
    return [...groups.values()];
  };

  /** Rows of tiers, the hosts at the bottom. */
  function tiers(layout, rows) {
    const { model } = layout;
    const rowOf = new Int32Array(model.nodes);
    rows.forEach((row, level) => row.nodes.forEach((node) => (rowOf[node] = level)));
    const components = componentsByRow(model, rows, rowOf);
    const top = rows.length - 1;
    const order = (a, b) => {
      for (let level = top; level >= 1; level--) {
        const of = components[level];
        if (of[a] !== of[b]) return of[a] - of[b];
      }
      return a - b;
    };
    const leaves = [...rows[1].nodes].sort(order);
    // A leaf is as wide as its hosts, with a gap between pods.
    const hosts = new Map(leaves.map((leaf) => [leaf, 0]));
    for (const host of rows[0].nodes) {
      const home = layout.home[host];
      if (hosts.has(home)) hosts.set(home, hosts.get(home) + 1);
    }
    const most = Math.max(1, ...hosts.values());
    // Pods are the parts that only the highest row joins, or no row does.
    const isJoined = leaves.every((leaf) => components[top][leaf] === components[top][leaves[0]]);
    const podOf = components[isJoined ? top - 1 : top];
    let at = 0;
    let last = null;
    for (const leaf of leaves) {
      const pod = top > 1 ? podOf[leaf] : 0;
      if (last !== null && pod !== last) at += most * 0.4;
      last = pod;
      const width = Math.max(hosts.get(leaf), most * 0.5) + most * 0.15;
      layout.u[leaf] = at + width / 2;
      layout.w[leaf] = width;
      at += width;
    }
    // The hosts are near their switches; the rows above share the rest.
    const room = (level) => (level === 0 ? 0.95 : 0.78 - (0.7 * (level - 1)) / Math.max(top - 1, 1));
    rows.forEach((row, level) => {
      row.v = room(level);
      for (const node of row.nodes) {
        layout.v[node] = row.v;
        layout.h[node] = 0.5 / rows.length;
      }
    });
    for (const leaf of leaves) {
      layout.u[leaf] /= at;
      layout.w[leaf] /= at;
    }
    for (let level = 2; level <= top; level++) spread(layout, rows[level], components[level], leaves);
    layout.strips(rows[0].nodes, (home) => ({
      u: home < 0 ? 0.5 : layout.u[home],
      v: rows[0].v,
      w: home < 0 ? 1 : layout.w[home] * (most / (most * 1.15)),
      h: 0.4 / rows.length,
    }));
    groupTiers(layout, rows, components);
    layout.rows = rows.map((row) => ({ name: row.name, count: row.nodes.length, v: row.v }));
  }

  /** Spreads the nodes of a row evenly over the leaves that they reach. */
  function spread(layout, row, component, leaves) {
    const extents = new Map();
    for (const leaf of leaves) {
      const own = extents.get(component[leaf]) ?? [1, 0];
      own[0] = Math.min(own[0], layout.u[leaf] - layout.w[leaf] / 2);
      own[1] = Math.max(own[1], layout.u[leaf] + layout.w[leaf] / 2);
      extents.set(component[leaf], own);
    }
    for (const nodes of gather(row.nodes, (node) => component[node])) {
      const [from, upto] = extents.get(component[nodes[0]]) ?? [0, 1];
      // Few switches above a wide fabric stay near its middle.
      const width = Math.min(upto - from, Math.max(nodes.length * 0.12, 0.5 * (upto - from)));
      const begin = (from + upto - width) / 2;
      nodes.forEach((node, i) => {
        layout.u[node] = begin + ((i + 0.5) * width) / nodes.length;
        layout.w[node] = width / nodes.length;
      });
    }
  }

  /** Groups of a row: switches with the same neighbors, of a pod, of larger parts, and all of it. */
  function groupTiers(layout, rows, components) {
    const { model } = layout;
    const top = rows.length - 1;
    rows.forEach((row, level) => {
      let last = 0;
      if (level === top && level > 1) {
        const key = (node) => [...model.portsOf(node)].map((port) => model.peer(port)).sort().join();
        const alike = gather(row.nodes, key);
        if (alike.length > 1 && alike.length < row.nodes.length) {
          for (const nodes of alike) layout.group(`${nodes.length} ${row.name} switches with the same links`, nodes);
          last = alike.length;
        }
      }
      for (let above = Math.max(level, 1); above <= top; above++) {
        const parts = gather(row.nodes, (node) => components[above][node]);
        const whole = parts.length === 1 || parts.length === row.nodes.length || parts.length === last;
        if (whole) continue;
        last = parts.length;
        const noun = level === 0 ? "hosts" : `${row.name} switches`;
        parts.forEach((nodes, i) => layout.group(`${nodes.length} ${noun} of part ${i + 1}`, nodes));
      }
      const noun = level === 0 ? "hosts" : `${row.name} switches`;
      layout.group(`all ${row.nodes.length} ${noun}`, row.nodes);
    });
  }

  /** Hosts below each switch of a layout without tiers. */
  function hostsBelow(layout, hosts) {
    layout.strips(hosts, (home) => ({
      u: home < 0 ? 0.5 : layout.u[home],
      v: home < 0 ? 0.99 : layout.v[home] + layout.h[home] * 0.36,
      w: home < 0 ? 1 : layout.w[home] * 0.8,
      h: home < 0 ? 0.02 : layout.h[home] * 0.2,
    }));
  }

  /** A grid by the coordinates in names such as switch2-0-1. Further dimensions go into depth. */
  function grid(layout, switches) {
    const of = switches.map((node) => layout.model.names[node].match(/^[a-z]+(\d+(?:-\d+)+)$/)?.[1]);
    if (switches.length < 2 || of.some((text) => !text)) return false;
    const places = of.map((text) => text.split("-").map(Number));
    const dimensions = places[0].length;
    if (places.some((place) => place.length !== dimensions)) return false;
    const sizes = places[0].map((_, d) => 1 + Math.max(...places.map((place) => place[d])));
    const depth = sizes.slice(2).reduce((product, length) => product * length, 1);
    const step = 0.85 / depth;
    layout.places = new Map();
    switches.forEach((node, i) => {
      const [x, y, ...rest] = places[i];
      const z = rest.reduceRight((sum, place, d) => sum * sizes[d + 2] + place, 0);
      const shift = 0.075 + (z + 0.5) * step;
      layout.u[node] = (x + (depth > 1 ? shift : 0.5)) / sizes[0];
      layout.v[node] = (y + (depth > 1 ? 1 - shift : 0.5)) / sizes[1];
      layout.w[node] = (depth > 1 ? step : 0.85) / sizes[0];
      layout.h[node] = (depth > 1 ? step : 0.85) / sizes[1];
      layout.places.set(node, places[i]);
    });
    layout.sizes = sizes;
    // A link around the edge is drawn as two ends.
    layout.wraps = (a, b) => {
      const [from, to] = [layout.places.get(a), layout.places.get(b)];
      if (!from || !to) return false;
      return from.some((place, d) => Math.abs(place - to[d]) > 1);
    };
    return true;
  }

  /** Groups of names such as group2/router1, on a circle. */
  function circles(layout, switches) {
    const prefix = (node) => layout.model.names[node].split("/")[0];
    if (switches.some((node) => !layout.model.names[node].includes("/"))) return false;
    const groups = gather(switches, prefix);
    if (groups.length < 2 || groups.length === switches.length) return false;
    const room = Math.min(0.16, (Math.PI * 0.4) / groups.length / 1.15);
    groups.forEach((nodes, i) => {
      const angle = (2 * Math.PI * i) / groups.length - Math.PI / 2;
      const [u, v] = [0.5 + 0.4 * Math.cos(angle), 0.5 + 0.4 * Math.sin(angle)];
      layout.labels.push({ text: prefix(nodes[0]), u, v });
      const pitch = nodes.length < 3 ? room : Math.min(room, (2 * Math.PI * room * 0.72) / nodes.length);
      nodes.forEach((node, k) => {
        const turn = (2 * Math.PI * k) / nodes.length - Math.PI / 2;
        layout.u[node] = u + room * 0.72 * Math.cos(turn);
        layout.v[node] = v + room * 0.72 * Math.sin(turn);
        layout.w[node] = layout.h[node] = pitch * 0.8;
      });
    });
    layout.after = () => {
      for (const nodes of groups) layout.group(`${prefix(nodes[0])}: ${nodes.length} switches`, nodes, true);
    };
    return true;
  }

  /** Places by forces: neighbors attract, and all switches repel one another. */
  function forces(layout, switches) {
    const { model } = layout;
    const count = switches.length;
    const index = new Map(switches.map((node, i) => [node, i]));
    const edges = [];
    const degree = new Int32Array(count);
    for (const node of switches) {
      for (const port of model.portsOf(node)) {
        const peer = index.get(model.peer(port));
        if (peer > index.get(node)) {
          edges.push([index.get(node), peer]);
          degree[peer]++;
          degree[index.get(node)]++;
        }
      }
    }
    const { x, y } = seeds(count, edges, degree);
    if (count <= MOST_FORCES && count > 2) relax(x, y, edges);
    const fit = (of) => {
      const [low, high] = [Math.min(...of), Math.max(...of)];
      return Array.from(of, (value) => (high - low < 1e-6 ? 0.5 : 0.05 + (0.9 * (value - low)) / (high - low)));
    };
    const [u, v] = [fit(x), fit(y)];
    const room = Math.min(0.2, 0.5 / Math.sqrt(count));
    switches.forEach((node, i) => {
      layout.u[node] = u[i];
      layout.v[node] = v[i];
      layout.w[node] = layout.h[node] = room;
    });
  }

  /** First places: on rings by distance from the switch with the most links, or in a row. */
  function seeds(count, edges, degree) {
    const x = new Float64Array(count);
    const y = new Float64Array(count);
    const neighbors = Array.from({ length: count }, () => []);
    for (const [a, b] of edges) {
      neighbors[a].push(b);
      neighbors[b].push(a);
    }
    const isChain = edges.length === count - 1 && degree.every((own) => own <= 2);
    const first = isChain ? Math.max(degree.indexOf(1), 0) : degree.indexOf(Math.max(...degree));
    const seen = new Uint8Array(count);
    let order = 0;
    for (const begin of [first, ...Array(count).keys()]) {
      if (seen[begin]) continue;
      let front = [begin];
      seen[begin] = 1;
      for (let ring = 0; front.length > 0; ring++) {
        const next = [];
        front.forEach((node, i) => {
          const angle = (2 * Math.PI * i) / front.length + ring;
          x[node] = isChain ? order++ : ring * Math.cos(angle);
          y[node] = isChain ? 0 : ring * Math.sin(angle);
          for (const peer of neighbors[node]) {
            if (!seen[peer]) {
              seen[peer] = 1;
              next.push(peer);
            }
          }
        });
        front = next;
      }
    }
    return { x, y };
  }

  function relax(x, y, edges) {
    const count = x.length;
    if (y.every((value) => value === 0)) return;
    const rounds = 200;
    for (let round = 0; round < rounds; round++) {
      const heat = 0.6 * (1 - round / rounds);
      const [dx, dy] = [new Float64Array(count), new Float64Array(count)];
      for (let a = 0; a < count; a++) {
        for (let b = a + 1; b < count; b++) {
          const [px, py] = [x[a] - x[b] + (a - b) * 1e-6, y[a] - y[b]];
          const force = 1 / (px * px + py * py + 0.01);
          dx[a] += px * force;
          dy[a] += py * force;
          dx[b] -= px * force;
          dy[b] -= py * force;
        }
      }
      for (const [a, b] of edges) {
        const [px, py] = [x[a] - x[b], y[a] - y[b]];
        const length = Math.hypot(px, py);
        dx[a] -= px * length;
        dy[a] -= py * length;
        dx[b] += px * length;
        dy[b] += py * length;
      }
      for (let node = 0; node < count; node++) {
        const length = Math.hypot(dx[node], dy[node]) || 1;
        const step = Math.min(length, heat) / length;
        x[node] += dx[node] * step;
        y[node] += dy[node] * step;
      }
    }
  }

  /** Returns `true` if most links between switches lead to another tier. */
  function hasTiers(model, rows, distance) {
    if (rows.filter((row) => row.distance > 0).length < 2) return false;
    let [level, all] = [0, 0];
    for (let port = 0; port < model.ports; port++) {
      const [a, b] = [model.node[port], model.peer(port)];
      if (model.isHost[a] || model.isHost[b]) continue;
      all++;
      if (distance[a] === distance[b]) level++;
    }
    return level * 2 < all;
  }

  function layout(model) {
    const made = new Layout(model);
    made.home = homes(model);
    const distance = distances(model);
    const rows = rowsOf(model, distance);
    const nodes = [...Array(model.nodes).keys()];
    const hosts = nodes.filter((node) => model.isHost[node]);
    const switches = nodes.filter((node) => !model.isHost[node]);
    if (hosts.length > 0 && hasTiers(model, rows, distance)) {
      tiers(made, rows);
      return made;
    }
    if (switches.length === 1) {
      const [node] = switches;
      [made.u[node], made.v[node], made.w[node], made.h[node]] = [0.5, 0.3, 1, 0.5];
      made.strips(hosts, () => ({ u: 0.5, v: 0.75, w: 0.95, h: 0.2 }));
      return made;
    }
    if (!grid(made, switches) && !circles(made, switches)) forces(made, switches);
    hostsBelow(made, hosts);
    made.after?.();
    return made;
  }

  return { layout };
})();

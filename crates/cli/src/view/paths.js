// The path of a flow, and its parts in words.
"use strict";

const fabricPaths = (() => {
  const STAGES = { connection: "earlier messages: ", sending: "", window: "full window: ", packet: "last packet: ", acknowledgement: "last acknowledgement: " };
  const PARTS = {
    retransmission: "sending bytes again",
    pacing: "pacing rate",
    nic: "other packets at the sender's NIC",
    route: "no route to the receiver",
    handshake: "opening the connection",
    credit: "credit of the receiver",
    recovery: "a loss that is not noticed yet",
    receiver: "receiver before it acknowledges",
    pause: "paused by PFC",
    unexplained: "not taken apart",
  };

  /** Names a part as `fabricsim explain` does. */
  function words(stage, part, behind, classes) {
    const bytes = { sending: "sending its bytes", connection: "sending their bytes" }[stage];
    const own = (part === "transmission" && bytes) || (PARTS[part] ?? part);
    const owner = behind === "own" ? "its own packets" : (classes[behind] ?? behind);
    const full = stage === "connection" && ["propagation", "queue", "receiver"].includes(part);
    const when = full ? "window of earlier messages: " : (STAGES[stage] ?? "");
    return when + own + (behind ? `, behind ${owner}` : "");
  }

  /** Ports on the shortest ways between two nodes, in layers from the first one. */
  function between(model, from, to) {
    const distance = new Map([[to, 0]]);
    let front = [to];
    while (front.length > 0 && !distance.has(from)) {
      const next = [];
      for (const node of front) {
        for (const port of model.portsOf(node)) {
          const peer = model.peer(port);
          if (distance.has(peer) || (model.isHost[peer] && peer !== from)) continue;
          distance.set(peer, distance.get(node) + 1);
          next.push(peer);
        }
      }
      front = next;
    }
    const layers = [];
    let nodes = distance.has(from) ? [from] : [];
    while (nodes.length > 0 && !nodes.includes(to)) {
      const layer = [];
      const next = new Set();
      for (const node of nodes) {
        for (const port of model.portsOf(node)) {
          const peer = model.peer(port);
          if (distance.get(peer) === distance.get(node) - 1) {
            layer.push(port);
            next.add(peer);
          }
        }
      }
      layers.push(layer);
      nodes = [...next];
    }
    return layers;
  }

  /** The links of a flow: those that are certain, and those that are only possible. */
  function path(model, index) {
    const { flows } = model;
    const [, source, destination] = flows.rows[index];
    const known = new Set(flows.paths?.[index] ?? []);
    for (const [stage, , port] of flows.parts?.[index] ?? []) {
      if (port !== null && flows.words[stage] === "packet") known.add(port);
    }
    const distance = new Map();
    const far = (node) => {
      if (!distance.has(node)) distance.set(node, between(model, source, node).length);
      return distance.get(node);
    };
    // The first certain port of each distance leads on; flows with several paths have more.
    const ordered = [...known].sort((a, b) => far(model.node[a]) - far(model.node[b]) || a - b);
    const ports = new Set(ordered);
    const possible = new Set();
    const addLeg = (from, to) => {
      for (const layer of from === to ? [] : between(model, from, to)) {
        const isCertain = layer.length === 1;
        for (const port of layer) (isCertain ? ports : possible).add(port);
      }
    };
    let at = source;
    let last = -1;
    for (const port of ordered) {
      const own = far(model.node[port]);
      if (own === last) continue;
      last = own;
      addLeg(at, model.node[port]);
      at = model.peer(port);
    }
    addLeg(at, destination);
    for (const port of ports) possible.delete(port);
    return { ports: [...ports], possible: [...possible], nodes: [source, destination] };
  }

  return { words, path };
})();

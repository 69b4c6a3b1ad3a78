// Runs the simulator. Messages in: { load: MODULE } with { open: TEXT } or { schema: true }. Messages out:
// { errors }, { progress, figures }, { results } at the end of a run, { schema }.
"use strict";

let simulator;

async function load(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
  // Only the solver of PINT's plans imports the page's clock. Simulations need no clock.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => {
      throw new Error(`${name} is not available`);
    };
  }
  simulator = (await WebAssembly.instantiate(module, imports)).exports;
}

function reply(length) {
  const place = simulator.fabricsim_reply() >>> 0;
  const bytes = new Uint8Array(simulator.memory.buffer, place, length >>> 0);
  return JSON.parse(new TextDecoder().decode(bytes));
}

function open(text) {
  const bytes = new TextEncoder().encode(text);
  const place = simulator.fabricsim_room(bytes.length) >>> 0;
  new Uint8Array(simulator.memory.buffer, place, bytes.length).set(bytes);
  return reply(simulator.fabricsim_open());
}

// Steps for about a tenth of a second, then shows what there is.
function run() {
  const begun = performance.now();
  let progress;
  do {
    progress = reply(simulator.fabricsim_step(1));
  } while (progress.ended === null && performance.now() - begun < 100);
  const figures = reply(simulator.fabricsim_draw());
  const results = progress.ended === null ? null : reply(simulator.fabricsim_results());
  postMessage({ progress, figures, results });
  if (progress.ended === null) {
    setTimeout(run, 0);
  }
}

onmessage = async (message) => {
  try {
    if (message.data.load !== undefined) {
      await load(message.data.load);
    }
    if (message.data.schema) {
      postMessage({ schema: reply(simulator.fabricsim_schema()) });
      return;
    }
    const said = open(message.data.open);
    if (said.errors) {
      postMessage(said);
    } else {
      run();
    }
  } catch (error) {
    postMessage({ errors: [{ message: `the simulator has stopped: ${error}` }] });
  }
};

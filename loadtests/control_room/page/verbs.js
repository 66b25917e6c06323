// What can be asked of the target: a table of acts with their fields, and the presets.
// Names and defaults are those of the admin API; the target says what it does not allow.

const text = (name, label, value, hint = "") => ({ name, label, value, hint });
const choice = (name, label, ...options) => ({ name, label, value: options[0], options, hint: "" });
const count = (name, label, value, hint = "") => ({ name, label, value, hint, number: true });
const only = (field, name, value) => ({ ...field, when: { name, value } });

const LASTS = (value) => [text("for", "for", value, "such as 2s, 500ms, 1m"), text("after", "begins after", "0s")];

export const VERBS = [
  {
    verb: "dip", title: "Dip", button: "Dip", about: "Takes capacity away. It comes back by itself.",
    fields: [
      { ...choice("level", "what is left", "capacity", "workers", "service_time"), names: { service_time: "service time" }, sent: false },
      only(text("capacity", "capacity", "20%", "20% or 20/s"), "level", "capacity"),
      only(count("workers", "workers", "1", "of a target that has workers"), "level", "workers"),
      only(text("service_time", "service time", "100ms", "of a target that has one"), "level", "service_time"),
      ...LASTS("2s"),
      choice("shape", "shape", "step", "ramp"),
      only(text("slow_start", "slow start", "0s", "climbs back in this time"), "shape", "step"),
    ],
  },
  {
    verb: "fault", title: "Fault", button: "Strike", about: "Answers that come late, wrong, half or never.",
    fields: [
      choice("type", "type", "latency", "error", "hang", "reset", "cut"),
      text("share", "share struck", "100%", "of the admitted attempts"),
      only(text("add", "added latency", "200ms"), "type", "latency"),
      only(text("spread", "spread", "0s", "plus or minus"), "type", "latency"),
      only(count("status", "status", "500", "400 to 599"), "type", "error"),
      only(text("retry_after", "Retry-After", "", "left empty: not sent"), "type", "error"),
      ...LASTS("2s"),
    ],
  },
  {
    verb: "shed", title: "Shed", button: "Shed", about: "Turns a share of all attempts away at the edge.",
    fields: [text("share", "share turned away", "90%"), ...LASTS("10s")],
  },
  {
    verb: "block-retries", title: "Block retries", button: "Block retries", about: "Lets first attempts through, and nothing else.",
    fields: LASTS("30s"),
  },
  {
    verb: "reopen", title: "Reopen in steps", button: "Reopen", about: "Lets one step in, and the next when errors are few.",
    fields: [
      text("step", "step", "20%"), text("every", "every", "5s"), text("max_errors", "at most", "5%", "errors, or it waits"),
      text("for", "over after", "10m"), text("after", "begins after", "0s"),
    ],
  },
  {
    verb: "capacity", title: "Capacity", button: "Set capacity", about: "Changes the capacity for good.",
    fields: [text("capacity", "capacity", "100/s", "attempts a second")],
  },
  {
    verb: "reset", title: "Reset", button: "Reset the target …", about: "The target begins anew, in all lanes.",
    fields: [], everywhere: true,
    confirm: (recording) => "Drop every dip, fault and action, and all lanes with their history? The capacity goes back to the configured one."
      + (recording ? " The run that is being recorded will not be valid." : ""),
  },
];

export const PRESETS = [
  { verb: "dip", label: "Dip to 20% for 2 s", kind: "cause", body: { capacity: "20%", for: "2s" } },
  { verb: "dip", label: "Dip to 0 for 10 s", kind: "cause", body: { capacity: "0%", for: "10s" } },
  { verb: "shed", label: "Shed 90% for 10 s", kind: "end", body: { share: "90%", for: "10s" } },
  { verb: "block-retries", label: "Block retries for 30 s", kind: "end", body: { for: "30s" } },
  { verb: "reopen", label: "Reopen in steps", kind: "end", body: {} },
];

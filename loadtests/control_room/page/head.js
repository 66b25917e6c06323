// The top of the page: what runs, which target, and in plain words what cannot be reached.
import { byId, say, show } from "./dom.js";
import { clock, duration, number, plural } from "./format.js";

export class Head {
  #lostAt = null;

  constructor() {
    // What sticks below the banners has to know how high they are.
    const banners = byId("banners");
    new ResizeObserver(() => document.documentElement.style.setProperty("--banners", `${banners.offsetHeight}px`)).observe(banners);
  }

  take(answer) {
    this.#lostAt = null;
    show(byId("locust-down"), false);
    document.body.classList.remove("stale");
    this.#run(answer.run, answer.now_epoch_s);
    this.#target(answer.target, answer.now_epoch_s);
    const by = answer.run.load_url;
    say(byId("load-text"), by ? `load by way of ${by}` : "");
    show(byId("load-text"), Boolean(by));
  }

  #run(run, nowS) {
    const goes = ["running", "spawning", "stopping"].includes(run.state);
    const parts = [run.state];
    if (run.since_epoch_s !== null && goes) parts[0] += ` ${duration(nowS - run.since_epoch_s)}`;
    if (run.users) parts.push(plural(run.users, "user"));
    if (run.id) parts.push(`run ${run.id}`);
    say(byId("run-text"), parts.join(" · "));
    byId("run-dot").className = `dot ${goes ? "good" : ""}`;
    this.#report(run, goes);
  }

  #report(run, goes) {
    const link = byId("report-link");
    const finished = !goes && run.has_report && (run.id ?? run.newest);
    show(link, Boolean(goes || finished));
    say(link, goes ? "Report so far" : "Report of this run");
    const href = goes ? "so-far" : `runs/${encodeURIComponent(run.id ?? run.newest)}/report.html`;
    if (link.getAttribute("href") !== href) link.setAttribute("href", href);
  }

  #target(target, nowS) {
    const capacity = target.capacity_per_s === null ? "" : ` · ${number(target.capacity_per_s)}/s a lane`;
    say(byId("target-text"), target.reachable ? `target ${target.url}${capacity}` : `target ${target.url} cannot be reached`);
    byId("target-dot").className = `dot ${target.reachable ? "good" : "bad"}`;
    const banner = byId("target-down");
    if (!target.reachable && target.problem) {
      const since = target.since_epoch_s;
      const when = since === null ? "" : ` Since ${clock(since)}, ${duration(nowS - since)} ago.`;
      say(banner, `The target cannot be reached: ${target.problem}.${when} Trying again every second; the lanes show what was known last.`);
    }
    document.body.classList.toggle("silent", !target.reachable);
    show(banner, !target.reachable && Boolean(target.problem));
  }

  /** Locust itself did not answer. */
  lost(problem) {
    const now = Date.now() / 1000;
    this.#lostAt ??= now;
    const why = problem.name === "TimeoutError" ? "it does not answer" : problem.message;
    say(byId("locust-down"), `Locust cannot be reached: ${why}. Since ${clock(this.#lostAt)}, ${duration(now - this.#lostAt)} ago. Trying again every second; what you see below is old.`);
    show(byId("locust-down"), true);
    document.body.classList.add("stale");
  }
}
